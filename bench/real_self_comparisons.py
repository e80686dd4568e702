#!/usr/bin/env python3
"""Compares a kernel with equal copies of itself, and with versions that do 2 % more work, by `assay evaluate` on this CPU.

usage: real_self_comparisons.py ASSAY [--state FOLDER] [--same N] [--planted N] [--seed N]

Every comparison is one run of the gate, in an order drawn from the seed, under the rule by which the policy "standard"
promotes (its sweep's: evidence, alpha 1 %, a minimum effect of 1 %, 5 to 24 process pairs, the kernel against itself in
between), except that the one workload is called 20 times a side and pair and not 5 (a sweep's 54 workloads are called 270 times):
  same         (--same, 200)     a copy with another entry point: the same instructions under another name. `better` is false.
  faster       (--planted, 20)   the kernel against one that does 2 % more work: `better` finds it.
  faster_long  (--planted, 20)   the same of a kernel that takes three times as long.
  slower_long  (--planted, 20)   the other way round: `better` is false, and `not_better` excludes a gain.
Most of the kernel's time is a chain of dependent multiplications for each head. What one more costs is measured first, and from
that follows how many more are 2 % of the kernel's time; nothing sleeps. Other machine code is not refused as a
duplicate, because the name of its entry point counts.

Each result is appended to FOLDER/results.jsonl as soon as it is there, and a run with the same folder goes on where the last
one ended. When all are there, bench/results/real_self_comparisons.json is written. About 30 minutes on 2 quiet cores.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import time
import tomllib

from recording import ROOT, save, spread

DEFINITION = "gdn_decode_qk4_v8_d128_k_last"
WORKLOADS = "901e5104"  # Batch 1.
# Multiplications a head: calls of about 3 and 10 ms. The judge's own clock, which must confirm a gain, is disturbed by tens
# of microseconds a call on a machine that others share: as much as 2 % of the shorter calls, and little of the longer.
ROUNDS = {"short": 300_000, "long": 900_000}
# What of the policy's sweep decides; the rest (how much is checked, and how long a call may take) is the gate's.
DECIDING = ("minimum_pairs", "maximum_pairs", "samples_per_pair", "alpha", "test", "minimum_effect", "futility",
            "maximum_regression", "self_comparison")
# Calls of a side in a process pair: as many of one workload as let 2 % be told on a machine that others share. The policy's
# own sweep makes 5 of each of 54 workloads, 270 in all.
SAMPLES = 20
COPIES = 20
PLANTED = 0.02

CHAIN = """
    // One after the other, and none can be left out: each needs the last, and the compiler does not see what becomes of it.
    float chain = 1.0f;
    for (int round = 0; round < {rounds}; ++round) {{
      chain = chain * 0.999f + 0.001f;
      asm volatile("" : "+x"(chain));
    }}
"""


def kernel(rounds, entry):
    source = (ROOT / "examples/gdn_decode/plain.cpp").read_text(encoding="utf-8")
    mark = "    const int64_t query_head"
    assert source.count(mark) == 1 and source.count("ASSAY_KERNEL(run)") == 1
    return source.replace(mark, CHAIN.format(rounds=rounds) + mark).replace("ASSAY_KERNEL(run)", f"ASSAY_KERNEL({entry})")


def standard_rule():
    """Returns (the rule, a policy as TOML whose gate decides by it)."""
    with (ROOT / "policies/standard.toml").open("rb") as file:
        standard = tomllib.load(file)
    rule = {name: standard["sweep"][name] for name in DECIDING}
    gate = {name: value for name, value in {**standard["gate"], **rule, "samples_per_pair": SAMPLES, "stress_trials": 8}.items() if name != "sanitizers"}
    lines = [f"{name} = {json.dumps(value)}" for name, value in gate.items()]
    return rule, 'version = 1\nname = "standard-sweep-rule"\n[gate]\n' + "\n".join(lines) + "\n"


class Bench:
    def __init__(self, assay, folder):
        self.assay = assay
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.rule, policy = standard_rule()
        self.policy = folder / "standard-sweep-rule.toml"
        self.policy.write_text(policy, encoding="utf-8")

    def solution(self, rounds, entry="run"):
        """Writes a solution of its own and returns its path."""
        name = f"chain-{rounds}-{entry}"
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({
            "name": name, "author": "bench", "definition": DEFINITION, "description": "",
            "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": f"kernel.cpp::{entry}",
                     "dependencies": [], "destination_passing_style": True},
            "sources": [{"path": "kernel.cpp", "content": kernel(rounds, entry)}]}), encoding="utf-8")
        return path

    def evaluate(self, candidate, against):
        command = [self.assay, "evaluate", str(candidate), "--against", str(against), "--definition", DEFINITION, "--dataset",
                   str(ROOT / "datasets/contest"), "--archive", str(self.folder / "archive"), "--workloads", WORKLOADS,
                   "--policy", str(self.policy), "--again", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            evaluation = json.loads(done.stdout)["evaluation"]
        except (json.JSONDecodeError, KeyError):
            sys.exit(f"{' '.join(command)}\nended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
        if any(finding["kind"] == "self_comparison" for finding in evaluation["findings"]):
            sys.exit("a copy was recognised by its machine code, so that nothing is tested: change what tells it apart")
        return evaluation

    def median_ns(self, rounds):
        """The median over runs of the time of a call, on each workload."""
        candidate = self.solution(rounds)
        runs = [self.evaluate(candidate, "none")["timings"] for _ in range(5)]
        return [sorted(run[w]["candidate_ns"] for run in runs)[len(runs) // 2] for w in range(len(runs[0]))]

    def calibrate(self, length):
        """Returns how many rounds more are PLANTED of the kernel's time, and what that follows from. Once a folder."""
        path = self.folder / f"calibration-{length}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
        rounds = ROUNDS[length]
        few, many = self.median_ns(rounds), self.median_ns(2 * rounds)
        of_one = [(more - less) / rounds for less, more in zip(few, many)]
        if min(of_one) <= 0:
            sys.exit(f"twice as many rounds do not take longer here ({few} and {many} ns): nothing can be planted")
        extra = round(sum(PLANTED * time_ns / one for time_ns, one in zip(few, of_one)) / len(few))
        result = {"rounds": rounds, "kernel_ns": few, "with_twice_the_rounds_ns": many, "of_one_round_ns": of_one,
                  "extra_rounds": extra,
                  "planted": [extra * one / time_ns for time_ns, one in zip(few, of_one)]}
        path.write_text(json.dumps(result), encoding="utf-8")
        return result


def upper_bound(found, tried, confidence):
    """The largest share under which so few as `found` of `tried` are not yet improbable (Clopper and Pearson, one-sided)."""
    if found >= tried:
        return 1.0
    low, high = found / tried, 1.0
    for _ in range(60):
        share = (low + high) / 2
        probability = sum(math.comb(tried, k) * share**k * (1 - share)**(tried - k) for k in range(found + 1))
        low, high = (share, high) if probability > 1 - confidence else (low, share)
    return high


def schedule(same, planted, seed):
    tasks = [("same", i) for i in range(same)] + [(kind, i) for kind in ("faster", "faster_long", "slower_long") for i in range(planted)]
    random.Random(seed).shuffle(tasks)
    return tasks


def report(results, rule, calibration, seed):
    by_kind = collections.defaultdict(list)
    for result in results:
        by_kind[result["kind"]].append(result)
    summary = {}
    for kind, of_kind in sorted(by_kind.items()):
        outcomes = collections.Counter(result["outcome"] for result in of_kind)
        summary[kind] = {"comparisons": len(of_kind), "outcomes": dict(outcomes),
                         "seconds": spread([result["seconds"] for result in of_kind])}
        print(f"{kind}: {len(of_kind)} comparisons: " + ", ".join(f"{count} {name}" for name, count in outcomes.most_common()))
    false = sum(result["outcome"] == "better" for result in by_kind["same"] + by_kind["slower_long"])
    tried = len(by_kind["same"]) + len(by_kind["slower_long"])
    of_same = sum(result["outcome"] == "better" for result in by_kind["same"])
    bound = upper_bound(of_same, max(1, len(by_kind["same"])), 0.95)
    found = {kind: sum(result["outcome"] == "better" for result in by_kind[kind]) for kind in ("faster", "faster_long")}
    print(f"false `better` among equal copies: {of_same} of {len(by_kind['same'])} (below {100 * bound:.1f} %, 95 % "
          f"confidence); among all that are not faster: {false} of {tried}")
    for kind, length in (("faster", "short"), ("faster_long", "long")):
        print(f"planted gains of {100 * PLANTED:.0f} % of {calibration[length]['kernel_ns'][0] / 1e6:.1f} ms found: "
              f"{found[kind]} of {len(by_kind[kind])}")
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    save("real_self_comparisons", "false and true gains of real comparisons through the gate, by the rule of the policy standard",
         {"commit": commit, "rule": {**rule, "samples_per_pair": SAMPLES}, "seed": seed, "calibration": calibration,
          "false_better_among_copies": of_same, "false_better_upper_95": bound, "planted_gains_found": found,
          "by_kind": summary, "results": results})


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / "build/real_self_comparisons")
    parser.add_argument("--same", type=int, default=200)
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    bench = Bench(options.assay, options.state)
    calibration = {length: bench.calibrate(length) for length in ROUNDS}
    for of in calibration.values():
        print(f"{of['rounds']} rounds a head take {of['kernel_ns'][0] / 1000:.1f} us on the first workload; "
              f"{of['extra_rounds']} more are {100 * of['planted'][0]:.2f} % of it", flush=True)
    log = options.state / "results.jsonl"
    results = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    done = {(result["kind"], result["number"]) for result in results}
    tasks = schedule(options.same, options.planted, options.seed)
    missing = [task for task in tasks if task not in done]
    results = [result for result in results if (result["kind"], result["number"]) in set(tasks)]
    kernels = {length: bench.solution(rounds) for length, rounds in ROUNDS.items()}
    slower = {length: bench.solution(rounds + calibration[length]["extra_rounds"]) for length, rounds in ROUNDS.items()}
    spent = 0.0
    for count, (kind, number) in enumerate(missing, 1):
        candidate, against = {"same": lambda: (bench.solution(ROUNDS["short"], f"copy_{number % COPIES}"), kernels["short"]),
                              "faster": lambda: (kernels["short"], slower["short"]),
                              "faster_long": lambda: (kernels["long"], slower["long"]),
                              "slower_long": lambda: (slower["long"], kernels["long"])}[kind]()
        start = time.monotonic()
        evaluation = bench.evaluate(candidate, against)
        seconds = time.monotonic() - start
        spent += seconds
        comparison = evaluation["comparison"] or {}
        result = {"kind": kind, "number": number, "outcome": evaluation["outcome"], "cause": evaluation["cause"],
                  "seconds": round(seconds, 3),
                  "findings": [finding["kind"] for finding in evaluation["findings"]],
                  **{name: comparison.get(name) for name in ("pairs", "log_ratio", "log_ratio_lower", "log_ratio_upper")},
                  "noise_floor": (comparison.get("aa") or {}).get("noise_floor")}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        results.append(result)
        left = spent / count * (len(missing) - count)
        ratio = "-" if result["log_ratio"] is None else f"{math.exp(-result['log_ratio']):.4f}x"
        print(f"{len(results)} of {len(tasks)}: {kind} {number}: {result['outcome']} {ratio} in {seconds:.1f} s; "
              f"{left / 60:.1f} min left", flush=True)
    report(results, bench.rule, calibration, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
