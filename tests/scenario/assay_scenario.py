"""What the scenario tests share: running the programs, private folders, small datasets. Standard library only."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("ASSAY_PROGRAMS", REPOSITORY / "build" / "release" / "bin"))
DATASET = REPOSITORY / "datasets" / "contest"
EXAMPLES = REPOSITORY / "examples" / "gdn_decode"
DEFINITION = "gdn_decode_qk4_v8_d128_k_last"
BASELINE = "gdn_decode_plain_cpu"
TUNABLE = "gdn_decode_tunable_cpu"

# Quick enough for a test, and strict enough to tell candidates apart on a simulated clock.
POLICY = """
version = 1
name = "scenario"
approval = "{approval}"
[gate]
workloads = 2
minimum_pairs = 2
maximum_pairs = 3
samples_per_pair = 2
call_limit_ms = 500
[sweep]
minimum_pairs = 2
maximum_pairs = 3
samples_per_pair = 1
call_limit_ms = 500
"""


class Finished:
    """What a finished command left."""

    def __init__(self, process, command):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        self.command = command

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"{' '.join(self.command)}\nexit code {self.code}\nstdout:\n{self.out}\nstderr:\n{self.err}"


def environment(**extra):
    """The environment of a command: ours, without what would choose folders or colours."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ASSAY_")}
    kept.update({key: str(value) for key, value in extra.items()})
    return kept


def small_dataset(folder, sizes):
    """Copies GDN decode of the contest's dataset, with one workload for each of the batch sizes, which may be the same."""
    folder = Path(folder)
    for path in [*DATASET.glob(f"definitions/*/{DEFINITION}.json"), *DATASET.glob(f"solutions/*/*/{DEFINITION}/*.json")]:
        target = folder / path.relative_to(DATASET)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    source = DATASET / "workloads" / "gdn" / f"{DEFINITION}.jsonl"
    chosen = {}
    for line in source.read_text().splitlines():
        if line.strip():
            chosen.setdefault(json.loads(line)["workload"]["axes"]["batch_size"], []).append(line)
    target = folder / "workloads" / "gdn" / source.name
    target.parent.mkdir(parents=True)
    target.write_text("".join(chosen[size].pop(0) + "\n" for size in sizes))
    return folder


class Scenario(unittest.TestCase):
    """A private folder, which is the working directory of the commands, with its archive in `archive`."""

    maxDiff = None
    # The slowest command of a test on a busy machine; a hang is a failure.
    TIMEOUT = 240
    # Whether what the tests of this class show depends on what others have built.
    OWN_CACHE = False

    @classmethod
    def setUpClass(cls):
        # One build cache for all scenarios that ctest runs, emptied by `./dev test`: compilers are what takes longest, and
        # its entries are named by all that goes into them. Without ctest, one for the tests of a class.
        shared = os.environ.get("ASSAY_SCENARIO_CACHE")
        if shared and not cls.OWN_CACHE:
            cls.shared_cache = Path(shared)
            cls.shared_cache.mkdir(parents=True, exist_ok=True)
        else:
            cls.shared_cache = Path(tempfile.mkdtemp(prefix="assay-scenario-cache-"))
            cls.addClassCleanup(shutil.rmtree, cls.shared_cache, ignore_errors=True)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="assay-scenario-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.archive = self.folder / "archive"

    def assay(self, *arguments, code=0, stdin="", **extra):
        """Runs `assay` and expects this exit code."""
        command = [str(PROGRAMS / "assay"), *map(str, arguments)]
        extra.setdefault("ASSAY_BUILD_CACHE", self.shared_cache)
        process = subprocess.run(command, cwd=self.folder, env=environment(**extra), input=stdin, text=True,
                                 capture_output=True, timeout=self.TIMEOUT, errors="replace")
        finished = Finished(process, command)
        self.assertEqual(finished.code, code, str(finished))
        return finished

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def policy(self, approval="policy", injections="", stress_trials=None):
        """A policy file; `injections` are lines of its section of that name. Tests about something else want fewer than the
        usual 8 calls on difficult inputs before each session, or none, and then no chain of calls either: those are half of
        what an evaluation on a simulated clock takes."""
        text = POLICY.format(approval=approval)
        if stress_trials is not None:
            for section in ("[gate]", "[sweep]"):
                text = text.replace(section, f"{section}\nstress_trials = {stress_trials}")
        section = f"[injections]\n{injections}\n" if injections else ""
        return self.write(f"{approval}.toml", text + section)

    def eased(self, name):
        """A copy of the policy of ours by that name with a difficult input where it has many, and few trials: every stage, in
        less time."""
        text = (REPOSITORY / "policies" / f"{name}.toml").read_text()
        for field, value in (("stress_trials", "1"), ("trials", "60"), ("failure_bound", "1.0")):
            text, found = re.subn(rf"(?m)^{field} = (?!0 )[\d.]+", f"{field} = {value}", text)
            self.assertTrue(found or field == "trials", f"{name}.toml has no {field}")
        return self.write(f"eased-{name}.toml", text)

    def dataset(self, *sizes):
        return small_dataset(self.folder / "dataset", sizes)


def main():
    """Runs the tests of the calling file; says plainly if the programs are not there."""
    for program in ("assay", "assay-judge", "assay-worker"):
        if not (PROGRAMS / program).exists():
            sys.exit(f"{PROGRAMS / program} is not there: build it, or set ASSAY_PROGRAMS to the folder that has it")
    unittest.main(verbosity=2)
