"""`assay selftest` on the whole corpus: every candidate gets what its file states, as root and then as an ordinary user."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import assay_scenario as scenario

NOBODY = 65534
# Two minutes on two idle cores; compilers take most of it.
TIMEOUT = 900


class SelftestTest(scenario.Scenario):
    def selftest(self, *arguments, prefix=(), cwd=None, **extra):
        command = [*prefix, str(scenario.PROGRAMS / "assay"), "selftest", "--dataset", str(scenario.DATASET),
                   *arguments]
        extra.setdefault("ASSAY_BUILD_CACHE", self.shared_cache)
        process = subprocess.run(command, cwd=cwd or self.folder, env=scenario.environment(**extra), text=True,
                                 capture_output=True, timeout=TIMEOUT, errors="replace")
        return scenario.Finished(process, command)

    def corpora(self):
        return [part for kind in ("hostile", "honest")
                for part in ("--corpus", str(scenario.REPOSITORY / "tests" / kind))]

    def assert_all_as_stated(self, finished):
        self.assertIn(finished.code, (0, 1), str(finished))
        report = finished.json()
        wrong = [f"{row['entry']}: {row['outcome']}, expected {row['expected']}: {row['cause']}"
                 for row in report["rows"] if not row["agrees"]]
        self.assertEqual(wrong, [])
        self.assertEqual(finished.code, 0)
        return report

    def test_as_whoever_runs_the_tests(self):
        report = self.assert_all_as_stated(self.selftest(*self.corpora(), "--json"))
        kinds = [row["kind"] for row in report["rows"]]
        self.assertGreaterEqual(kinds.count("hostile"), 45)
        self.assertGreaterEqual(kinds.count("honest"), 40)
        for row in report["rows"]:
            self.assertTrue(row["cause"], row)

    def test_then_as_an_ordinary_user(self):
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
        if subprocess.run([*prefix, str(scenario.PROGRAMS / "assay"), "--version"], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest(f"the user {NOBODY} cannot run {scenario.PROGRAMS / 'assay'}")
        self.assert_all_as_stated(self.selftest(*self.corpora(), "--json", prefix=prefix, cwd=folder, HOME=folder,
                                                TMPDIR=folder, ASSAY_BUILD_CACHE=folder / "cache"))


class OutputTest(scenario.Scenario):
    def write_candidate(self, name, head):
        return self.write(f"corpus/{name}.cpp", f"// assay-corpus: {head}\n// A test of the self-test.\n"
                                                "#include <assay/candidate.h>\n"
                                                "ASSAY_KERNEL(run) { return call == nullptr; }\n")

    def test_the_table_and_the_exit_code(self):
        self.write_candidate("51-nothing", "number=51 kind=hostile expect=incorrect probe=poison")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus")
        self.assertIn("Judging 1 hostile and 0 honest candidates", finished.err)
        for part in ("entry", "outcome", "expected", "seconds", "sandbox", "51-nothing", "never written",
                     "all as stated"):
            self.assertIn(part, finished.out)
        self.assertFalse((self.folder / ".assay").exists())

    def test_a_disagreement_is_exit_code_1_and_told(self):
        self.write_candidate("wrong", "kind=honest")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus", code=1)
        self.assertIn("1 not as stated", finished.out)
        self.assertIn("honest wrong (run 1, seed ", finished.out)

    def test_a_device_that_is_not_there_is_exit_code_3(self):
        self.write("corpus/51-nothing.cu", "// assay-corpus: number=51 kind=hostile expect=incorrect probe=poison\n"
                                           "// A test of the self-test.\n")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus",
                              "--device", "cuda:255", code=3)
        self.assertIn("environment error", finished.err)
        self.assertEqual(finished.out, "")
        self.assertIn("does not run on cpu",
                      self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus",
                                 code=2).err)

    def test_a_bad_head_names_file_and_remedy(self):
        path = self.write_candidate("bad", "kind=honset")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus", code=2)
        self.assertIn(f"{path}:1: kind=honset must be hostile or honest", finished.err)


if __name__ == "__main__":
    scenario.main()
