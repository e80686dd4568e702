"""What ctest makes of a suite of GoogleTest: argv are ctest, the program of cases.cpp, and cmake/ListSuites.cmake. A
failure must stay one whatever else the suite holds, a skipped test must be seen, and no suite may be left out."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CTEST, CASES, LIST_SUITES = sys.argv[1:4]


class SuitesTest(unittest.TestCase):
    def ctest(self, program, *arguments):
        """Runs ctest on the program's suites: its exit code, and {entry: what its line says of it}."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = Path(holder.name)
        (folder / "CTestTestfile.cmake").write_text(
            f"set(program [==[{program}]==])\nset(target cases)\nset(prefix layer.)\nset(cost 3)\n"
            f"include([==[{LIST_SUITES}]==])\n")
        finished = subprocess.run([CTEST, "--test-dir", str(folder), *arguments], text=True, capture_output=True,
                                  timeout=100, check=False)
        lines = re.findall(r"^ *\d+/\d+ Test +#\d+: (\S+) \.*\s*(.*?) +[\d.]+ sec", finished.stdout, re.MULTILINE)
        return finished.returncode, {name: re.sub(r"^\*\*\*|[^\w ].*$", "", state).strip() for name, state in lines}

    def test_every_suite_is_an_entry_and_a_failure_is_never_hidden(self):
        code, states = self.ctest(CASES)
        self.assertNotEqual(code, 0)
        ended = states.pop("layer.EndsAfterASkip")
        self.assertIn(ended, ("Exception", "Subprocess aborted"))
        self.assertEqual(states, {
            "layer.Passes": "Passed", "layer.Skips": "Skipped", "layer.Fails": "Failed",
            "layer.FailsBeforeASkip": "Failed", "layer.FailsAfterASkip": "Failed",
            "layer.Odd/Numbered": "Passed", "layer.Even/Numbered": "Failed",
            "layer.Typed/0": "Failed", "layer.Typed/1": "Passed", "layer.GpuCases": "Passed"})

    def test_a_skip_alone_does_not_fail(self):
        self.assertEqual(self.ctest(CASES, "-R", "Skips$"), (0, {"layer.Skips": "Skipped"}))

    def test_those_for_a_gpu_have_their_label(self):
        self.assertEqual(self.ctest(CASES, "-L", "gpu"), (0, {"layer.GpuCases": "Passed"}))

    def test_a_program_that_was_not_built_fails(self):
        code, states = self.ctest("/nowhere/cases")
        self.assertNotEqual(code, 0)
        self.assertEqual(list(states), ["cases_NOT_BUILT"])

    def test_a_program_that_cannot_list_its_suites_fails(self):
        code, states = self.ctest("/bin/false")
        self.assertNotEqual(code, 0)
        self.assertEqual(states, {"layer.suites_are_listed": "Failed"})

    def test_a_program_without_suites_fails(self):
        code, states = self.ctest("/bin/true")
        self.assertNotEqual(code, 0)
        self.assertEqual(states, {"layer.suites_are_listed": "Failed"})

    def test_a_filter_that_nothing_matches_fails(self):
        finished = subprocess.run([CASES, "--gtest_filter=Absent.*"], capture_output=True, text=True, check=False)
        self.assertEqual(finished.returncode, 2)
        self.assertIn("no test matches", finished.stderr)

    def test_an_unknown_word_fails(self):
        finished = subprocess.run([CASES, "--gtest_filter=Passes.*", "Absent"], capture_output=True, text=True,
                                  check=False)
        self.assertEqual(finished.returncode, 2)

    def test_run_by_hand_a_skip_is_no_failure(self):
        finished = subprocess.run([CASES, "--gtest_filter=Skips.*"], capture_output=True, check=False)
        self.assertEqual(finished.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
