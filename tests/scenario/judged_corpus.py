"""`assay selftest` on a part of the corpus, as root and then as an ordinary user: what selftest.py and selftest_alone.py
share. Every candidate is in exactly one of the two parts."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import assay_scenario as scenario

NOBODY = 65534
TIMEOUT = 900
TESTS = scenario.REPOSITORY / "tests"
HEAD = re.compile(r"// assay-corpus: (.*)")
# Of those that limits stop, the ones that take no more than one core and the memory of one process until then.
TAKES_ONE_CORE = {"60d-endless-loop", "60e-endless-output", "60f-stops-itself", "60g-closes-everything",
                  "60h-overflows-stack", "60i-dumps-core", "60j-exhausts-descriptors", "60l-leaves-a-daemon",
                  "60m-ignores-signals", "60n-fills-shared-memory"}


def corpus():
    """Returns [(file, {word: value} of its head)] of all candidates."""
    found = []
    for kind in ("hostile", "honest"):
        for path in sorted((TESTS / kind).iterdir()):
            if path.suffix in (".c", ".cpp"):
                head = HEAD.match(path.read_text())
                found.append((path, dict(word.split("=", 1) for word in head.group(1).split())))
    return found


def runs_alone(path, head):
    """Whether it takes all that the machine has until a limit stops it: what ran beside it could fail. What only a clock tells
    is told on a busy machine too: the judge then says less, never more."""
    return head.get("probe") == "limits" and path.stem not in TAKES_ONE_CORE


class JudgedCorpus(scenario.Scenario):
    """Tests say which part by `part`, a list of files."""

    OWN_CACHE = True  # An ordinary user gets a copy of it.

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Not below the build: an ordinary user reads it too.
        cls.copy = cls.folder_for_all("assay-corpus-")
        for header in TESTS.glob("*.hpp"):
            shutil.copy(header, cls.copy)
        for path in cls.part:
            folder = cls.copy / path.parent.name
            folder.mkdir(exist_ok=True)
            shutil.copy(path, folder)
        for path in cls.copy.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)

    @classmethod
    def folder_for_all(cls, prefix):
        """A folder of this class's tests that every user may enter."""
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        return folder

    def selftest(self, prefix=(), cwd=None, programs=scenario.PROGRAMS, dataset=scenario.DATASET, **extra):
        command = [*prefix, str(programs / "assay"), "selftest", "--dataset", str(dataset), "--json"]
        for folder in sorted(path for path in self.copy.iterdir() if path.is_dir()):
            command += ["--corpus", str(folder)]
        extra.setdefault("ASSAY_BUILD_CACHE", self.shared_cache)
        process = subprocess.run(command, cwd=cwd or self.folder, env=scenario.environment(**extra), text=True,
                                 capture_output=True, timeout=TIMEOUT, errors="replace")
        return scenario.Finished(process, command)

    def assert_all_as_stated(self, finished):
        self.assertIn(finished.code, (0, 1), str(finished))
        report = finished.json()
        wrong = [f"{row['entry']}: {row['outcome']}, expected {row['expected']}: {row['cause']}"
                 for row in report["rows"] if not row["agrees"]]
        self.assertEqual(wrong, [])
        self.assertEqual(finished.code, 0)
        self.assertEqual(sorted(row["entry"] for row in report["rows"]), sorted(path.stem for path in self.part))
        for row in report["rows"]:
            self.assertTrue(row["cause"], row)

    def as_whoever_runs_the_tests(self):
        self.assert_all_as_stated(self.selftest())

    def as_an_ordinary_user(self):
        if os.geteuid() != 0:
            self.skipTest("not root: the other test has run as an ordinary user already")
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            self.skipTest("setpriv (util-linux) is not there to become an ordinary user with")
        folder = Path(tempfile.mkdtemp(prefix="assay-selftest-user-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        # What the other test has built is built for this user too: compilers take most of the time.
        shutil.copytree(self.shared_cache, folder / "cache")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        prefix = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        programs, dataset = scenario.PROGRAMS, scenario.DATASET
        if not self.can_use(prefix, programs, dataset):  # A clone below a home that its owner alone may enter.
            programs, dataset = self.copies_for_all(programs, dataset)
            if not self.can_use(prefix, programs, dataset):
                self.skipTest(f"the user {NOBODY} cannot run {programs / 'assay'} either")
        self.assert_all_as_stated(self.selftest(prefix=prefix, cwd=folder, programs=programs, dataset=dataset,
                                                HOME=folder, TMPDIR=folder, ASSAY_BUILD_CACHE=folder / "cache"))

    @staticmethod
    def can_use(prefix, programs, dataset):
        return all(subprocess.run([*prefix, *command], cwd="/", capture_output=True, check=False).returncode == 0
                   for command in ([str(programs / "assay"), "--version"], ["test", "-r", str(dataset)]))

    def copies_for_all(self, programs, dataset):
        """Copies the programs, with what they look for beside themselves, and the dataset."""
        folder = self.folder_for_all("assay-programs-")
        (folder / "bin").mkdir()
        for path in (programs / "assay", *programs.glob("assay-*"), *programs.glob("*.so")):
            shutil.copy(path, folder / "bin")
        shutil.copytree(programs.parent / "include", folder / "include")
        shutil.copytree(dataset, folder / "dataset")
        for path in folder.rglob("*"):
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        return folder / "bin", folder / "dataset"
