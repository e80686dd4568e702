"""`assay evaluate --sanitize`: a gate that finds defects which right values hide. All but the refusals need a GPU."""

import os
import unittest

import assay_scenario as scenario

# Places of examples/gdn_decode/plain.cu that tests change.
ENTRY = "  float predicted = 0.0f;\n"
# No value is this one: the compiler cannot know, so that what is read for it stays.
NEVER = "1.2345e-33f"

PLANTED = {
    # One element behind the last row of the last head: a read, in what the judge's memory goes on with.
    "memcheck": (ENTRY, f"  if (row[kHeadSize] == {NEVER}) {{ __trap(); }}\n" + ENTRY),
    # Another warp's element, without a barrier between.
    "racecheck": (ENTRY, "  __shared__ float marks[kHeadSize];\n  marks[i] = g + i;\n"
                         f"  if (marks[(i + kHeadSize / 2) % kHeadSize] == {NEVER}) {{ __trap(); }}\n" + ENTRY),
    # An output before it is written to.
    "initcheck": (ENTRY, f"  if (new_row[0] == {NEVER}) {{ __trap(); }}\n" + ENTRY),
    # A barrier that half of each warp reaches; what follows it keeps the compiler from leaving it out.
    "synccheck": (ENTRY, "  if (i % 2 == 0) { __syncthreads(); }\n" + ENTRY),
}


class RefusalTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.common = ["--dataset", self.dataset(1), "--archive", self.archive]

    def test_what_runs_on_the_host_is_not_watched(self):
        finished = self.assay("evaluate", scenario.EXAMPLES / "plain.cpp", *self.common, "--sanitize", code=2)
        self.assertIn("--device cuda:0", finished.err)

    def test_a_policy_names_tools_that_exist(self):
        policy = self.write("p.toml", "version = 1\n[gate]\nsanitizers = [\"memchek\"]\n")
        finished = self.assay("evaluate", scenario.EXAMPLES / "plain.cpp", *self.common, "--policy", policy, code=2)
        self.assertIn("memcheck", finished.err)

    def test_a_policy_may_name_them(self):
        policy = self.write("p.toml", "version = 1\n[gate]\nsanitizers = [\"memcheck\"]\n")
        finished = self.assay("evaluate", scenario.EXAMPLES / "plain.cpp", *self.common, "--policy", policy, code=2)
        self.assertIn("compute-sanitizer", finished.err)


@unittest.skipUnless(os.path.exists("/dev/nvidia0"), "no CUDA device here: no candidate is run under compute-sanitizer")
class SanitizeTest(scenario.Scenario):
    TIMEOUT = 540

    def setUp(self):
        super().setUp()
        self.common = ["--dataset", self.dataset(1, 4), "--archive", self.archive, "--device", "cuda:0"]

    def evaluate(self, kernel, *arguments, code=0):
        answer = self.assay("evaluate", kernel, *self.common, *arguments, "--json", code=code).json()
        return answer["evaluation"]

    def test_an_honest_candidate_passes_all_four(self):
        evaluation = self.evaluate(scenario.EXAMPLES / "plain.cu", "--sanitize")
        self.assertEqual(evaluation["outcome"] in ("better", "not_better", "indistinguishable"), True, evaluation)

    def test_so_does_one_bound_by_tvm_ffi(self):
        evaluation = self.evaluate(scenario.EXAMPLES / "tvm_ffi.cu", "--sanitize")
        self.assertEqual(evaluation["outcome"] in ("better", "not_better", "indistinguishable"), True, evaluation)

    def planted(self, tool):
        source = (scenario.EXAMPLES / "plain.cu").read_text()
        old, new = PLANTED[tool]
        self.assertIn(old, source)
        return self.write(f"{tool}.cu", source.replace(old, new, 1))

    def test_each_planted_defect_is_found_by_its_tool_alone(self):
        for tool in PLANTED:
            with self.subTest(tool=tool):
                policy = self.write(f"{tool}.toml", f"version = 1\n[gate]\nsanitizers = [\"{tool}\"]\n")
                evaluation = self.evaluate(self.planted(tool), "--policy", policy, code=1)
                self.assertEqual(evaluation["outcome"], "incorrect", evaluation)
                self.assertEqual(evaluation["findings"][0]["kind"], tool, evaluation)
                self.assertIn("decode", evaluation["findings"][0]["message"])

    def test_without_a_tool_they_pass(self):
        for tool in PLANTED:
            with self.subTest(tool=tool):
                evaluation = self.evaluate(self.planted(tool))
                self.assertEqual(evaluation["outcome"] in ("better", "not_better", "indistinguishable"), True, evaluation)


if __name__ == "__main__":
    scenario.main()
