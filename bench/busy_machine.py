#!/usr/bin/env python3
"""Honest kernels, and cheats of the clock, on a machine on which others work: how often is whom accused?

usage: busy_machine.py [--bin FOLDER] [--loops N] [--runs N] [--only TEXT] [--to FOLDER]

Runs `assay selftest` on the honest corpus, and on the cheats that `reconcile` catches, beside N endless loops. An honest
kernel that comes out `suspect` is a false alarm; a cheat that comes out `better` would be a false promotion; a cheat that is
merely not believed is what a busy machine costs. Writes busy_machine.json into --to (default bench/results).
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from recording import ROOT, save

HEAD = re.compile(r"// assay-corpus: .*\bprobe=[a-z_|]*reconcile")


def corpora(folder):
    """Copies of the honest corpus and of the cheats of the clock, each with the headers that they include."""
    for name in ("honest", "hostile"):
        (folder / name).mkdir()
        for path in sorted((ROOT / "tests" / name).iterdir()):
            if name == "honest" or HEAD.match(path.read_text(encoding="utf-8")):
                shutil.copy(path, folder / name)
    for header in (ROOT / "tests").glob("*.hpp"):
        shutil.copy(header, folder)
    return {name: folder / name for name in ("honest", "hostile")}


def judge(options, corpus):
    command = [str(pathlib.Path(options.bin) / "assay"), "selftest", "--corpus", str(corpus), "--dataset",
               str(ROOT / "datasets/contest"), "--runs", str(options.runs), "--json"]
    done = subprocess.run(command + (["--only", options.only] if options.only else []), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)["rows"]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--loops", type=int, default=3 * (os.cpu_count() or 1))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--to", default=str(ROOT / "bench/results"))
    options = parser.parse_args(arguments)
    results = {"loops": options.loops, "runs": options.runs}
    with tempfile.TemporaryDirectory() as name:
        parts = corpora(pathlib.Path(name))
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.loops)]
        try:
            for part, folder in parts.items():
                start = time.monotonic()
                rows = judge(options, folder)
                outcomes = collections.Counter(str(row["outcome"]) for row in rows)
                accused = [f"{row['entry']}: {row['cause']}" for row in rows if row["outcome"] == "suspect"]
                results[part] = {"evaluations": len(rows), "outcomes": dict(outcomes),
                                 "suspect": len(accused), "seconds": round(time.monotonic() - start),
                                 "load_average_at_the_end": os.getloadavg()[0],
                                 "disagreements": sorted({row["entry"] for row in rows if not row["agrees"]})}
                if part == "honest":
                    results[part]["accused"] = accused
                print(part, results[part], flush=True)
        finally:
            for loop in loops:
                loop.kill()
    save("busy_machine", "who is accused on a machine on which others work", results, pathlib.Path(options.to))
    return 1 if results["honest"]["suspect"] or results["hostile"]["outcomes"].get("better") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
