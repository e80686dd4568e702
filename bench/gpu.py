#!/usr/bin/env python3
"""Everything about GPUs that is measured, in parts that each take less than eight minutes.

usage: gpu.py [--bin FOLDER] [--device cuda:0] [--to FOLDER] PART...

  doctor      what the machine can do
  verdict     edit to verdict: one changed CUDA source on the gate, quick policy; where the time goes (goal 3 s)
  witness     how even the judge's own clock is beside the worker's
  same        two byte-identical kernels: how often "better" is claimed, by us and by an interval inside one process pair
  planted     a kernel against one that does 2 % more work: how often that is found
  trials_…    checked calls in bulk on all workloads of an operator: 3,000 each (goals: top-k 60 s,
              GDN decode 30 s)
  share_…     for what part of the judge's time the GPU worked, and at what, by operator: checked calls in bulk, and a sweep
              of a solution against itself (goal: 80 % of a sweep). Once by sums of the judge's own events and the calls'
              clocks, once by NVML's samples, which count any kernel of any process
  corpus      assay selftest on the device, three runs
  ablation    the same, each cheat without the probe that catches it
  clocks      each way of timing, cold and hot: floors, times of one solution, what became of the honest corpus
  tiers       the same kernels without host code and with it, by each clock; what their compilers take
  campaign    a tuner's campaign of GDN decode on all 54 workloads

Programs are taken from --bin (default build/release/bin); results go to --to (default bench/results), one file a part,
with machine and date. A part that is named again replaces its file.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from recording import ROOT, save, spread

DECODE = "gdn_decode_qk4_v8_d128_k_last"
OPERATORS = {
    "gdn_decode": DECODE,
    "dsa_topk_indexer": "dsa_topk_indexer_fp8_h64_d128_topk2048_ps64",
    "dsa_sparse_attention": "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64",
    "gdn_prefill": "gdn_prefill_qk4_v8_d128_k_last",
    "moe_fp8_block_scale": "moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048",
}
TRIALS = {"gdn_decode": 3000, "dsa_topk_indexer": 3000, "dsa_sparse_attention": 3000, "gdn_prefill": 3000,
          "moe_fp8_block_scale": 3000}


# Enough that NVML, which gives some samples a second, has something to say.
SHARE_TRIALS = {"gdn_decode": 9000, "dsa_topk_indexer": 9000, "dsa_sparse_attention": 6000, "gdn_prefill": 2000,
                "moe_fp8_block_scale": 95}


class Runner:
    def __init__(self, options, folder):
        self.assay = str(pathlib.Path(options.bin) / "assay")
        self.device = options.device
        self.folder = folder

    def run(self, *arguments, archive="archive", check=True):
        """Returns (wall seconds, completed process)."""
        command = [self.assay, *map(str, arguments)]
        if archive:
            command += ["--archive", str(self.folder / archive)]
        start = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        if check and done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)}\nended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
        return time.monotonic() - start, done

    def evaluate(self, candidate, *options, **named):
        """Returns (wall seconds, the report as a dictionary)."""
        wall, done = self.run("evaluate", candidate, "--dataset", ROOT / "datasets/contest", "--device", self.device,
                              "--json", *options, **named)
        return wall, json.loads(done.stdout)


def doctor(runner):
    _, done = runner.run("doctor", "--json")
    # Where the checkout lies is no result.
    return {"benchmark": "assay doctor", "report": json.loads(done.stdout.replace(str(ROOT), "."))}


def verdict(runner):
    source = (ROOT / "examples/gdn_decode/tunable.cu").read_text(encoding="utf-8")
    candidate = runner.folder / "kernel.cu"
    rows = []
    for run in range(11):  # The first warms the caches and is not counted.
        candidate.write_text(f"{source}\nextern const int assay_bench_edit;\nconst int assay_bench_edit = {run};\n",
                             encoding="utf-8")
        wall, report = runner.evaluate(candidate, "--definition", DECODE)
        evaluation = report["evaluation"]
        rows.append({"wall_s": wall, "compiler_s": evaluation["candidate_build"]["seconds"],
                     "judge_s": evaluation["wall_seconds"], "outcome": evaluation["outcome"],
                     "pairs": (evaluation["comparison"] or {}).get("pairs"), "checked": evaluation["checked_calls"], "phases": evaluation["phases"]})
        print("verdict", rows[-1], flush=True)
    rows = rows[1:]
    return {"benchmark": "edit to verdict on the gate, quick policy, CUDA, seconds", "goal_s": 3,
            "wall_s": spread([row["wall_s"] for row in rows]),
            "compiler_s": spread([row["compiler_s"] for row in rows]),
            "judge_s": spread([row["judge_s"] for row in rows]),
            "median_phase_s": {name: statistics.median(row["phases"][name] for row in rows) for name in rows[0]["phases"]},
            "runs": rows}


def naive_claim(samples):
    """Whether an ordinary 95 % interval over the calls of the first process pair excludes equality: paired log-ratios of
    calls that saw the same contents, all workloads together."""
    calls = {}
    columns = ("pair", "side", "workload", "repetition", "elapsed_ns")
    for pair, side, workload, repetition, elapsed in zip(*(samples[column] for column in columns)):
        if pair == 0 and repetition > 0 and side in "ci":
            calls.setdefault((workload, repetition), {})[side] = elapsed
    ratios = [math.log(both["c"] / both["i"]) for both in calls.values() if len(both) == 2]
    mean = statistics.mean(ratios)
    error = statistics.stdev(ratios) / math.sqrt(len(ratios))
    return {"ratio": math.exp(mean), "standard_error": error, "calls": len(ratios), "claims": abs(mean) > 1.96 * error}


def solution(runner, name, source, entry):
    """A CUDA solution with this entry point, of a source whose own is `run`. Returns its path."""
    assert source.count("ASSAY_KERNEL(run)") == 1
    path = runner.folder / f"{name}.json"
    path.write_text(json.dumps({
        "name": name, "author": "bench", "definition": DECODE, "description": "",
        "spec": {"language": "cuda", "target_hardware": ["NVIDIA_H200"], "entry_point": f"kernel.cu::{entry}",
                 "dependencies": [], "destination_passing_style": True},
        "sources": [{"path": "kernel.cu", "content": source.replace("ASSAY_KERNEL(run)", f"ASSAY_KERNEL({entry})")}]}),
        encoding="utf-8")
    return path


def compared(runner, candidate, against, policy="standard"):
    """One run of a policy's gate. Returns what came out, and the claim of an interval within one pair."""
    wall, report = runner.evaluate(candidate, "--against", against, "--definition", DECODE, "--policy", policy, "--again")
    evaluation = report["evaluation"]
    if any(finding["kind"] == "self_comparison" for finding in evaluation["findings"]):
        raise RuntimeError("a copy was recognised by its machine code, so that nothing is tested")
    comparison = evaluation["comparison"]
    _, shown = runner.run("show", evaluation["id"], "--log", "samples.json")
    return {"outcome": evaluation["outcome"], "cause": evaluation["cause"], "wall_s": wall,
            "findings": [finding["kind"] for finding in evaluation["findings"]],
            **{key: comparison[key] for key in ("pairs", "log_ratio", "log_ratio_lower", "log_ratio_upper")},
            "naive": naive_claim(json.loads(shown.stdout))}


COPIES = 5


def same(runner, sessions=41):
    """Copies that differ in the name of their entry point alone, compared with the original on one workload, with so many
    calls that an interval inside one process pair is narrower than processes differ. Resumable: sessions that a run before
    has left are kept, as they are written down one by one."""
    policy = runner.folder / "same.toml"
    text = (ROOT / "policies/standard.toml").read_text(encoding="utf-8")
    # A copy beside each pair costs as much again, and only makes the gate more careful.
    for old, new in (("workloads = 5 ", "workloads = 1 "), ("samples_per_pair = 5 ", "samples_per_pair = 250 "),
                     ("self_comparison = true", "self_comparison = false")):
        assert text.count(old) >= 1
        text = text.replace(old, new, 1)
    policy.write_text(text, encoding="utf-8")
    source = (ROOT / "examples/gdn_decode/tunable.cu").read_text(encoding="utf-8")
    original = solution(runner, "original", source, "run")
    copies = [solution(runner, f"copy-{number}", source, f"copy_{number}") for number in range(COPIES)]
    kept = runner.to / "gpu_same_sessions.jsonl"
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.exists() else []
    started = time.monotonic()
    for session in range(len(rows), sessions):
        if time.monotonic() - started > 450:
            raise RuntimeError(f"{len(rows)} of {sessions} sessions so far: run it again to go on")
        rows.append(compared(runner, copies[session % COPIES], original, policy))
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(rows[-1]) + "\n")
        print("same", session, {key: rows[-1][key] for key in ("outcome", "pairs", "log_ratio", "wall_s", "naive")}, flush=True)
    kept.unlink()
    return {"benchmark": "two kernels that are byte-identical but for the name of their entry point, sessions of the gate of "
                         "the policy standard on one workload, without its self-comparison, with 1,000 calls a side and pair", "sessions": sessions,
            "better": sum(row["outcome"] == "better" for row in rows),
            "not_better": sum(row["outcome"] == "not_better" for row in rows),
            "naive_claims_of_either_sign": sum(row["naive"]["claims"] for row in rows), "rows": rows}


PLANTED = 0.02
CHAIN = """
  // Each needs the last; the assembler of GPUs would leave out what nobody uses.
  float chain = p.scale;
  for (int round = 0; round < ROUNDS; ++round) {
    chain = fmaf(chain, 0.999f, 0.001f);
  }
  if (chain == -1.0f) {
    p.new_state[0] = chain;
  }
"""


def planted(runner, comparisons=6, rounds=640000):
    """A kernel of about a millisecond against one that does 2 % more work, and the other way round. What a round costs is
    measured first. Of a kernel of 100 us, 2 % are less than what the judge's own clock makes out: with host code such a gain
    stays `indistinguishable` (1 of 12 was found)."""
    mark = "  const float* row = p.state"
    source = (ROOT / "examples/gdn_decode/plain.cu").read_text(encoding="utf-8")
    assert source.count(mark) == 1

    def chained(count):
        return solution(runner, f"chain-{count}", source.replace(mark, CHAIN.replace("ROUNDS", str(count)) + mark), "run")

    def times(count):
        _, report = runner.evaluate(chained(count), "--against", "none", "--definition", DECODE, "--policy", "standard", "--again")
        return [timing["candidate_ns"] for timing in report["evaluation"]["timings"]]

    few, many = times(rounds), times(2 * rounds)
    of_one = [(more - less) / rounds for less, more in zip(few, many)]
    extra = round(sum(PLANTED * time_ns / one for time_ns, one in zip(few, of_one)) / len(few))
    fast, slow = chained(rounds), chained(rounds + extra)
    print("planted", {"extra": extra, "kernel_ns": few, "twice_ns": many}, flush=True)
    rows = []
    for number in range(comparisons):
        for kind, candidate, against in (("faster", fast, slow), ("slower", slow, fast)):
            rows.append({"kind": kind, **compared(runner, candidate, against)})
            print("planted", number, {key: rows[-1][key] for key in ("kind", "outcome", "pairs", "log_ratio")}, flush=True)
    return {"benchmark": "a planted difference of 2 %, by the gate of the policy standard",
            "calibration": {"rounds": rounds, "extra_rounds": extra, "kernel_ns": few, "with_twice_the_rounds_ns": many,
                            "planted": [extra * one / time_ns for time_ns, one in zip(few, of_one)]},
            "found": sum(row["kind"] == "faster" and row["outcome"] == "better" for row in rows),
            "false": sum(row["kind"] == "slower" and row["outcome"] == "better" for row in rows),
            "comparisons_each": comparisons, "rows": rows}


def witness(runner):
    """How even the judge's own clock is beside the worker's: round trip minus reported time, by side and method; and what
    a session shows of the incumbent against a copy of itself (the policy "standard" has that on)."""
    rows = []
    for method in ("events", "cupti"):
        wall, report = runner.evaluate("gdn_decode_tunable_cuda", "--definition", DECODE, "--policy", "standard",
                                       "--clock", method, "--again")
        evaluation = report["evaluation"]
        comparison = evaluation["comparison"]
        _, shown = runner.run("show", evaluation["id"], "--log", "samples.json")
        samples = json.loads(shown.stdout)
        outside = {"c": [], "i": []}
        for side, repetition, elapsed, trip in zip(*(samples[column] for column in ("side", "repetition", "elapsed_ns",
                                                                                    "round_trip_ns"))):
            if repetition > 0 and side in outside:
                outside[side].append(trip - elapsed)
        rows.append({"method": method, "wall_s": wall, "outcome": evaluation["outcome"], "cause": evaluation["cause"],
                     "pairs": comparison["pairs"], "log_ratio": comparison["log_ratio"], "aa": comparison.get("aa"),
                     "candidate": spread(outside["c"]), "incumbent": spread(outside["i"])})
        print("witness", rows[-1], flush=True)
    return {"benchmark": "nanoseconds of a call outside of what the worker reports, by the judge's clock", "rows": rows}


def trials(runner, only=tuple(OPERATORS)):
    rows = {}
    for folder in only:
        definition = OPERATORS[folder]
        wall, report = runner.evaluate(ROOT / "examples" / folder / "plain.cu", "--definition", definition, "--against",
                                       "none", "--workloads", "all", "--trials", TRIALS[folder])
        evaluation = report["evaluation"]
        done = evaluation.get("trials") or {}
        stages = {name.removeprefix("trials: "): seconds for name, seconds in evaluation.get("phases", {}).items()
                  if name.startswith("trials: ")}
        rows[folder] = {"wall_s": wall, "outcome": evaluation["outcome"], "cause": evaluation["cause"],
                        "trials": done, "checker": evaluation["environment"].get("checker"),
                        "trials_per_s": done["calls"] / done["seconds"] if done.get("seconds") else None,
                        "stage_s": stages, "bound_by": max(stages, key=stages.get) if stages else None}
        print("trials", folder, rows[folder], flush=True)
    return {"benchmark": "checked calls on all workloads of each operator", "operators": rows}


def trials_decode(runner):
    return trials(runner, ["gdn_decode"])


def trials_topk(runner):
    return trials(runner, ["dsa_topk_indexer"])


def trials_attention(runner):
    return trials(runner, ["dsa_sparse_attention"])


def trials_prefill(runner):
    return trials(runner, ["gdn_prefill"])


def trials_moe(runner):
    return trials(runner, ["moe_fp8_block_scale"])


def gpu_shares(phases, of):
    """The judge's time of trials ("trials") or of all process pairs ("pairs"), and the GPU's within it, in seconds."""
    stages = {name.removeprefix(f"{of}: "): seconds for name, seconds in phases.items() if name.startswith(f"{of}: ")}
    work = {name.removeprefix(f"{of} on the GPU: "): seconds for name, seconds in phases.items()
            if name.startswith(f"{of} on the GPU: ")}
    watched, busy = work.pop("watched by NVML", 0), work.pop("busy by NVML", 0)
    # Until its processes run, a pair has nothing that a device could do.
    started = stages.pop("start the processes", 0)
    wall = sum(stages.values())
    return {"judge_s": wall, "processes_started_in_s": started, "judge_stage_s": stages, "gpu_s": work,
            "share_by_kind": {name: seconds / wall for name, seconds in work.items()} if wall else None,
            "share_by_sums": sum(work.values()) / wall if wall else None,
            "nvml_watched_s": watched, "share_by_nvml": busy / watched if watched else None,
            "longest_stage": max(stages, key=stages.get) if stages else None}


def share(runner, folder):
    definition = OPERATORS[folder]
    plain = ROOT / "examples" / folder / "plain.cu"
    rows = {}
    wall, report = runner.evaluate(plain, "--definition", definition, "--against", "none", "--workloads", "all", "--trials",
                                   SHARE_TRIALS[folder], "--again")
    evaluation = report["evaluation"]
    rows["trials"] = {"wall_s": wall, "outcome": evaluation["outcome"], "calls": evaluation["trials"]["calls"],
                      "calls_per_s": evaluation["trials"]["calls"] / evaluation["trials"]["seconds"],
                      **gpu_shares(evaluation["phases"], "trials")}
    wall, report = runner.evaluate(plain, "--definition", definition, "--against", plain, "--workloads", "all", "--again")
    evaluation = report["evaluation"]
    rows["sweep"] = {"wall_s": wall, "outcome": evaluation["outcome"], "checked_calls": evaluation["checked_calls"],
                     "pairs": (evaluation["comparison"] or {}).get("pairs"), **gpu_shares(evaluation["phases"], "pairs")}
    for what, row in rows.items():
        print(f"share {folder} {what}: the judge took {row['judge_s']:.2f} s, {row['longest_stage']!r} the most of it; "
              f"share of the GPU by sums {row['share_by_sums']}, by NVML {row['share_by_nvml']}", flush=True)
        for kind, part in (row["share_by_kind"] or {}).items():
            print(f"  {kind:45s} {100 * part:6.2f} %", flush=True)
    return {"benchmark": "what part of the judge's time the GPU worked", "operator": folder, "rows": rows}


def share_decode(runner):
    return share(runner, "gdn_decode")


def share_topk(runner):
    return share(runner, "dsa_topk_indexer")


def share_attention(runner):
    return share(runner, "dsa_sparse_attention")


def share_prefill(runner):
    return share(runner, "gdn_prefill")


def share_moe(runner):
    return share(runner, "moe_fp8_block_scale")


def corpus(runner, runs=3):
    runs = int(os.environ.get("RUNS", runs))
    wall, done = runner.run("selftest", "--device", runner.device, "--runs", runs, "--json", archive=None)
    report = json.loads(done.stdout)
    return {"benchmark": f"assay selftest --device {runner.device} --runs {runs}", "wall_s": wall,
            "entries": report["entries"], "evaluations": report["evaluations"],
            "disagreements": report["disagreements"],
            "rows": [{key: row[key] for key in ("entry", "kind", "run", "outcome", "agrees", "seconds", "cause")}
                     for row in report["rows"]]}


def ablation(runner):
    """Each cheat that a probe catches, once more without that probe."""
    wall, done = runner.run("selftest", "--device", runner.device, "--ablate", "--json", archive=None)
    report = json.loads(done.stdout)
    print("ablation", wall, json.dumps(report)[:1500], flush=True)
    return {"benchmark": f"assay selftest --device {runner.device} --ablate", "wall_s": wall, "report": report}


def honest(runner, method, cache):
    """What became of each honest candidate that is timed so. Some cannot be captured, and say so."""
    _, done = runner.run("selftest", "--device", runner.device, "--corpus", ROOT / "tests/honest_cuda", "--clock", method,
                         "--cache", cache, "--json", archive=None)
    return [{key: row[key] for key in ("entry", "outcome", "agrees", "cause")} for row in json.loads(done.stdout)["rows"]]


def clocks(runner):
    rows = []
    for method in ("events", "graph", "cupti"):
        for cache in ("cold", "hot"):
            wall, report = runner.evaluate("gdn_decode_tunable_cuda", "--definition", DECODE, "--clock", method, "--cache",
                                           cache, "--again")
            evaluation = report["evaluation"]
            rows.append({"method": method, "cache": cache, "wall_s": wall, "outcome": evaluation["outcome"],
                         "recorded": evaluation["clock"], "floor_ns": evaluation["timer_floor_ns"],
                         "times": [{key: timing[key] for key in ("axes", "candidate_ns", "incumbent_ns")}
                                   for timing in evaluation["timings"]],
                         "findings": [(finding["kind"], finding["side"]) for finding in evaluation["findings"]],
                         "canary": evaluation.get("canary"), "readings": evaluation.get("device_readings"),
                         "honest": honest(runner, method, cache) if cache == "cold" else None})
            print("clocks", {key: value for key, value in rows[-1].items() if key not in ("readings", "honest")}, flush=True)
            for row in rows[-1]["honest"] or []:
                print("  honest", method, row, flush=True)
    return {"benchmark": "each way of timing: floors, times of one solution, the honest corpus", "rows": rows}


def compat(runner):
    """flashinfer-bench's own figure beside ours: of the same candidate and incumbent, in the same evaluation."""
    rows = []
    for method in ("events", "cupti"):
        wall, report = runner.evaluate("gdn_decode_tunable_cuda", "--definition", DECODE, "--clock", method, "--compat",
                                       "flashinfer-bench", "--again")
        evaluation = report["evaluation"]
        ours = {timing["uuid"]: timing for timing in evaluation["timings"]}
        official = evaluation["official"]
        for row in (official.get("timing") or {"workloads": []})["workloads"]:
            timing = ours.get(row["uuid"], {})
            rows.append({"ours_by": method, "axes": timing.get("axes"), "theirs_candidate_ns": row["candidate_ns"],
                         "theirs_incumbent_ns": row["incumbent_ns"], "ours_candidate_ns": timing.get("candidate_ns"),
                         "ours_incumbent_ns": timing.get("incumbent_ns")})
            print("compat", rows[-1], flush=True)
        print("compat", method, {"wall_s": wall, "outcome": evaluation["outcome"], "passed": official["passed"],
                                 "phases": evaluation["phases"]}, official.get("not_timed", ""), flush=True)
    return {"benchmark": "times by flashinfer-bench's method beside ours, of one candidate and incumbent", "rows": rows}


# The launch plan of examples/gdn_decode/device_only.launch.json, as host code.
HOST_PART = """
#include <assay/candidate.h>
#include <cuda_runtime.h>

ASSAY_KERNEL(run) {
  static float2* made = nullptr;
  static int held = 0;
  const auto data = [&](int at) { return assay_input(call, at)->data; };
  const int heads = static_cast<int>(assay_input(call, 3)->shape[0]) * kValueHeads;
  if (heads > held) {
    cudaFree(made);
    held = cudaMalloc(&made, heads * sizeof(float2)) == cudaSuccess ? heads : 0;
  }
  using Half = unsigned short;
  auto stream = static_cast<cudaStream_t>(assay_stream(call));
  gates<<<(heads + 127) / 128, 128, 0, stream>>>(static_cast<float*>(data(4)), static_cast<Half*>(data(5)),
                                                 static_cast<float*>(data(6)), static_cast<Half*>(data(7)), made, heads);
  decode<<<dim3(4, heads), 128, 0, stream>>>(
      static_cast<Half*>(data(0)), static_cast<Half*>(data(1)), static_cast<Half*>(data(2)), static_cast<float*>(data(3)),
      made, static_cast<float>(assay_scalar(call, 8)), static_cast<Half*>(assay_output(call, 0)->data),
      static_cast<float*>(assay_output(call, 1)->data));
  return static_cast<int32_t>(cudaGetLastError());
}
"""


def tiers(runner):
    example = ROOT / "examples/gdn_decode/device_only.cu"
    hosted = runner.folder / "hosted.cu"
    hosted.write_text(example.read_text(encoding="utf-8") + HOST_PART, encoding="utf-8")
    rows = []
    for method in ("events", "graph", "cupti"):
        for cache in ("cold", "hot"):
            wall, report = runner.evaluate(example, "--against", hosted, "--definition", DECODE, "--clock", method,
                                           "--cache", cache, "--again")
            evaluation = report["evaluation"]
            builds = {side: {key: evaluation[f"{side}_build"].get(key) for key in ("tier", "toolchain", "seconds")}
                      for side in ("candidate", "incumbent")}
            comparison = evaluation["comparison"] or {}
            rows.append({"method": method, "cache": cache, "wall_s": wall, "outcome": evaluation["outcome"],
                         "cause": evaluation["cause"], "builds": builds,
                         "ratio": math.exp(comparison["log_ratio"]) if comparison else None,
                         "times": [{key: timing[key] for key in ("axes", "candidate_ns", "incumbent_ns")}
                                   for timing in evaluation["timings"]],
                         "findings": [(finding["kind"], finding["side"]) for finding in evaluation["findings"]]})
            print("tiers", rows[-1], flush=True)
    return {"benchmark": "the same kernels device-only (candidate) and with host code (incumbent), GDN decode", "rows": rows}


def campaign(runner):
    wall, done = runner.run("campaign", "run", "gpu", "--definition", DECODE, "--dataset", ROOT / "datasets/contest",
                            "--device", runner.device, "--tunable", "gdn_decode_tunable_cuda", "--rounds", 3, "--json")
    _, report = runner.run("report", "gpu", "--output", runner.folder / "report.html")
    (runner.to / "gpu_campaign.html").write_text((runner.folder / "report.html").read_text(encoding="utf-8"),
                                                 encoding="utf-8")
    return {"benchmark": "campaign of GDN decode with the tuner", "wall_s": wall, "status": json.loads(done.stdout)}


def main(arguments):
    parts = {part.__name__: part for part in (doctor, verdict, witness, same, planted, trials_decode, trials_topk,
                                              trials_attention, trials_prefill, trials_moe, share_decode, share_topk,
                                              share_attention, share_prefill, share_moe, corpus, ablation, clocks, compat, tiers,
                                              campaign)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--to", default=str(ROOT / "bench/results"))
    parser.add_argument("part", nargs="+", choices=sorted(parts))
    options = parser.parse_args(arguments)
    failed = False
    for name in options.part:
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(options, pathlib.Path(folder))
            runner.to = pathlib.Path(options.to)
            try:
                results = parts[name](runner)
                save(f"gpu_{name}", results.pop("benchmark"), results, runner.to)
            except Exception as error:  # The other parts are still worth having.
                print(f"gpu.py: {name}: {error}", file=sys.stderr, flush=True)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
