#!/usr/bin/env python3
"""What the probes and the sandbox cost an honest candidate, and whether they change its measured latency.

usage: probe_overhead.py ASSAY-JUDGE [ROUNDS]

In each round the same request (the plain GDN-decode solution against itself, three workloads, three process pairs) is
judged with everything on and with every probe off, in random order. Reports the ratio of wall times over the rounds,
and the ratio of the candidate's median latencies, beside the same ratio between two runs that are alike (A/A). The goals
are at most 1.25 for the wall time, and a latency ratio inside the spread of A/A. Writes
bench/results/probe_overhead.json.
"""

import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from recording import ROOT, save, spread

CONTEST = ROOT / "datasets/contest"
NAME = "gdn_decode_qk4_v8_d128_k_last"
BATCHES = (4, 16, 48)
PROBES = json.loads((ROOT / "schemas/request.schema.json").read_text(
    encoding="utf-8"))["properties"]["disabled_probes"]["items"]["enum"]
# Without these the judge would not be a judge at all; they were there before the probes and are not counted as cost.
KEPT = {"output_check", "poison", "guard_bands", "fresh_contents"}


def find(folder, pattern, key, value):
    for path in sorted((CONTEST / folder).rglob(pattern)):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.get(key) == value:
            return document
    sys.exit(f"{CONTEST / folder} holds nothing with {key} {value}")


def request(identifier, disabled):
    solution = find("solutions", "*.json", "name", "gdn_decode_plain_cpu")
    workloads = []
    for path in (CONTEST / "workloads").rglob(f"{NAME}.jsonl"):
        lines = [json.loads(line)["workload"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        for batch in BATCHES:
            workloads.append(next(line for line in lines if line["axes"]["batch_size"] == batch))
    other = dict(solution, name="copy")
    document = {
        "version": 1, "id": identifier, "stage": "gate", "device": "cpu", "seed": random.getrandbits(63),
        "definition": find("definitions", "*.json", "name", NAME), "workloads": workloads,
        "candidate": other, "incumbent": solution,
        "plan": {"minimum_pairs": 3, "maximum_pairs": 3, "samples_per_pair": 2, "alpha": 0.05, "minimum_effect": 0.02,
                 "maximum_regression": 0.1, "check_fraction": 0.1, "call_limit_ms": 2000, "load_limit_ms": 5000,
                 "build_limit_ms": 60000, "worker_memory_bytes": 1 << 32}}
    if disabled:
        document["disabled_probes"] = disabled
    return document


def judge(program, folder, identifier, disabled):
    path = folder / f"{identifier}.json"
    path.write_text(json.dumps(request(identifier, disabled)), encoding="utf-8")
    start = time.monotonic()
    done = subprocess.run([program, str(path), "--bundle", str(folder / identifier), "--cache", str(folder / "cache")],
                          capture_output=True, text=True)
    wall = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"assay-judge ended with {done.returncode}: {done.stdout}{done.stderr}")
    evaluation = json.loads((folder / identifier / "evaluation.json").read_text(encoding="utf-8"))
    latency = statistics.mean(math.log(timing["candidate_ns"]) for timing in evaluation["timings"])
    return wall, latency


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, rounds = arguments[0], int(arguments[1]) if len(arguments) == 2 else 20
    off = [probe for probe in PROBES if probe not in KEPT]
    walls, latencies, alike = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        judge(program, folder, "warm", [])
        for index in range(rounds):
            variants = [("on", []), ("off", off), ("again", [])]
            random.shuffle(variants)
            seen = {kind: judge(program, folder, f"{kind}-{index}", disabled) for kind, disabled in variants}
            walls.append(seen["on"][0] / seen["off"][0])
            latencies.append(math.exp(seen["on"][1] - seen["off"][1]))
            alike.append(math.exp(seen["on"][1] - seen["again"][1]))
            print(f"round {index + 1}: wall {seen['on'][0]:.2f} s with, {seen['off'][0]:.2f} s without; "
                  f"latency ratio {latencies[-1]:.3f}, of two alike {alike[-1]:.3f}", flush=True)
    report = {"probes_off": off, "wall_ratio": spread(walls), "latency_ratio": spread(latencies),
              "latency_ratio_of_two_alike": spread(alike)}
    save("probe_overhead", "the probes' cost for an honest candidate: with / without", report)
    for key in ("wall_ratio", "latency_ratio", "latency_ratio_of_two_alike"):
        print(f"{key}: median {report[key]['median']:.3f}, quartiles {report[key]['lower_quartile']:.3f} to "
              f"{report[key]['upper_quartile']:.3f}")
    print(f"wall time goal 1.25: {'met' if report['wall_ratio']['median'] <= 1.25 else 'MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
