#!/usr/bin/env python3
"""Times `assay evaluate` of a small C++ candidate on the gate, as a kernel engineer meets it after an edit.

usage: evaluate_latency.py ASSAY [RUNS]

Each run edits a constant of examples/gdn_decode/plain.cpp, so that it is a new candidate that must be built. Everything
else is warm: the incumbent's build, the dataset, the archive. Reports the median of the wall time beyond the compiler's
own time, and of the same candidate judged again from the build cache. The goal is 1 s. Writes
bench/results/evaluate_latency.json.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from recording import ROOT, save, spread

DEFINITION = "gdn_decode_qk4_v8_d128_k_last"
GOAL_SECONDS = 1.0


def evaluate(assay, folder, candidate, *options):
    """Returns (wall seconds, compiler seconds, outcome)."""
    command = [assay, "evaluate", str(candidate), "--definition", DEFINITION, "--dataset", str(ROOT / "datasets/contest"),
               "--archive", str(folder / "archive"), "--json", *options]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    wall = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    evaluation = json.loads(done.stdout)["evaluation"]
    return wall, evaluation["candidate_build"]["seconds"], evaluation["outcome"]


def edited(source, run):
    """Returns the source with another value of a constant that changes nothing but the candidate's identity."""
    return f"{source}\nextern const int assay_bench_edit;\nconst int assay_bench_edit = {run};\n"


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    assay = arguments[0]
    runs = int(arguments[1]) if len(arguments) == 2 else 10
    source = (ROOT / "examples/gdn_decode/plain.cpp").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        candidate = folder / "kernel.cpp"
        candidate.write_text(edited(source, 0), encoding="utf-8")
        evaluate(assay, folder, candidate)  # Warms the caches; not counted.
        new, again = [], []
        for run in range(1, runs + 1):
            candidate.write_text(edited(source, run), encoding="utf-8")
            wall, compiler, outcome = evaluate(assay, folder, candidate)
            new.append(wall - compiler)
            again.append(evaluate(assay, folder, candidate, "--again")[0])
            print(f"run {run}: {outcome}, {wall:.2f} s of which the compiler {compiler:.2f} s; again {again[-1]:.2f} s",
                  flush=True)
    median = statistics.median(new)
    print(f"verdict beyond the compiler's time, median of {runs}: {median:.2f} s "
          f"({min(new):.2f} to {max(new):.2f}); goal {GOAL_SECONDS:.0f} s: {'met' if median < GOAL_SECONDS else 'MISSED'}")
    print(f"the same candidate again, median of {runs}: {statistics.median(again):.2f} s")
    save("evaluate_latency", "edit to verdict on the gate (quick policy), seconds",
         {"beyond_the_compiler_s": spread(new), "again_from_the_build_cache_s": spread(again)})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
