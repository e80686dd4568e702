"""`assay evaluate` on the example candidates: each gets the outcome that the head of its file states."""

import re
from pathlib import Path

import assay_scenario as scenario

BAD = scenario.EXAMPLES / "bad"


class EvaluateTest(scenario.Scenario):
    # Places of examples/gdn_decode/plain.cpp that tests change.
    BODY = "  for (int64_t h = 0; h < heads; ++h) {"
    STORE = "        sum += new_row[j] * query[j];"

    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 4)
        self.common = ["--dataset", self.small, "--archive", self.archive, "--policy", self.policy()]

    def evaluate(self, kernel, *arguments, code=0):
        return self.assay("evaluate", kernel, *self.common, *arguments, "--json", code=code).json()

    def stated_outcome(self, kernel):
        head = kernel.read_text()[:400]
        return re.search(r"Must get: ([a-z_]+)", head).group(1)

    def test_each_bad_candidate_gets_the_outcome_that_it_states(self):
        kernels = sorted(BAD.glob("*.cpp"))
        self.assertGreaterEqual(len(kernels), 7)
        for kernel in kernels:
            with self.subTest(kernel=kernel.name):
                answer = self.evaluate(kernel, code=1)
                self.assertEqual(answer["evaluation"]["outcome"], self.stated_outcome(kernel), answer)
                self.assertFalse(answer["correct"])
                self.assertTrue(answer["evaluation"]["cause"])

    def finding(self, name):
        findings = self.evaluate(BAD / f"{name}.cpp", code=1)["evaluation"]["findings"]
        self.assertTrue(findings)
        return findings[0]

    def test_one_element_less_is_named_exactly(self):
        finding = self.finding("leaves_one_out")
        self.assertEqual(finding["tensor"], "new_state")
        # The last element of the last sequence's state, at whatever batch size it was seen first.
        self.assertEqual(finding["index"][1:], [7, 127, 127])

    def test_one_element_past_the_end_is_named_exactly(self):
        finding = self.finding("writes_past_end")
        self.assertIn("new_state", finding["message"])
        self.assertEqual(finding["kind"], "guard_overwritten")

    def test_a_written_input_is_named(self):
        finding = self.finding("writes_input")
        self.assertIn("state", finding["message"])
        self.assertEqual(finding["kind"], "input_written")

    def test_a_wrong_value_comes_with_both_values(self):
        finding = self.finding("forgets_beta")
        self.assertEqual(finding["kind"], "mismatch")
        self.assertIsNotNone(finding["expected"])
        self.assertIsNotNone(finding["got"])
        self.assertTrue(finding["index"])

    def changed_plain(self, name, old, new):
        source = (scenario.EXAMPLES / "plain.cpp").read_text()
        self.assertIn(old, source)
        return self.write(name, source.replace(old, new, 1))

    def test_what_only_a_shape_between_the_benchmarked_ones_shows_is_found_before_any_timing(self):
        kernel = self.changed_plain("odd.cpp", self.BODY, "  const int64_t batch = heads / kValueHeads;\n"
                                    "  if (batch % 2 == 1 && batch > 1) { return 0; }\n" + self.BODY)
        # Shapes are drawn: of so many one is odd and above 1.
        text = Path(self.policy()).read_text().replace("workloads = 2", "workloads = 2\nstress_trials = 64")
        policy = self.write("thorough.toml", text)
        answer = self.assay("evaluate", kernel, "--dataset", self.small, "--archive", self.archive, "--policy", policy,
                            "--json", code=1).json()
        self.assertEqual(answer["evaluation"]["outcome"], "incorrect")
        self.assertIn("difficult input", answer["evaluation"]["cause"])
        self.assertRegex(answer["evaluation"]["cause"], r"batch_size (3|5|9|17)\b.*trial \d+ of seed \d+")
        self.assertEqual(answer["evaluation"]["timings"], [])

    def test_the_verdict_of_the_contests_evaluator_beside_ours(self):
        # The state through bfloat16: within 1 %, which is all that they ask for.
        kernel = self.changed_plain("coarse.cpp", self.STORE, self.STORE +
                                    "\n        new_row[j] = from_bfloat16(to_bfloat16(new_row[j]));")
        answer = self.evaluate(kernel, "--compat", "flashinfer-bench", code=1)
        self.assertEqual(answer["evaluation"]["outcome"], "incorrect")
        self.assertTrue(answer["evaluation"]["official"]["passed"], answer)
        self.assertEqual(answer["evaluation"]["official"]["trials"], 6)
        # Their clock is one for GPUs: said, not replaced by another.
        self.assertNotIn("timing", answer["evaluation"]["official"])
        self.assertIn("times kernels of a GPU", answer["evaluation"]["official"]["not_timed"])
        zeros = self.evaluate(BAD / "forgets_beta.cpp", "--compat", "flashinfer-bench", code=1)
        self.assertFalse(zeros["evaluation"]["official"]["passed"])
        self.assertTrue(zeros["evaluation"]["official"]["reason"])

    def test_a_session_measures_what_it_shows_of_nothing(self):
        text = Path(self.policy()).read_text().replace("workloads = 2", "workloads = 2\nself_comparison = true")
        policy = self.write("self.toml", text.replace("[sweep]", "[sweep]\nself_comparison = true"))
        answer = self.assay("evaluate", scenario.EXAMPLES / "plain.cpp", "--dataset", self.small, "--archive",
                            self.archive, "--policy", policy, "--workloads", "all", "--device", "simulated:5",
                            "--against", scenario.EXAMPLES / "plain.cpp", "--again", "--json").json()
        comparison = answer["evaluation"]["comparison"]
        aa = comparison["aa"]
        self.assertEqual(aa["pairs"], comparison["pairs"])
        self.assertGreater(aa["noise_floor"], 0)
        self.assertLess(aa["noise_floor"], 2)
        # The decision is recomputed from the samples: it would be an internal error if they told another noise.
        self.assertEqual(answer["decision"]["verdict"], "keep_incumbent")
        samples = self.assay("show", answer["evaluation"]["id"], "--log", "samples.json", "--archive",
                             self.archive).json()
        timed = [side for side, repetition in zip(samples["side"], samples["repetition"]) if repetition > 0]
        self.assertEqual(timed.count("a"), timed.count("b"))
        self.assertEqual(timed.count("a"), timed.count("c"))
        self.assertEqual(samples["clock"], {"method": "wall", "cache": "cold"})
        shown = self.assay("show", answer["evaluation"]["id"], "--archive", self.archive).out
        self.assertIn("the incumbent against a copy of itself", shown)

    def test_a_compiler_error_shows_its_line(self):
        answer = self.assay("evaluate", BAD / "does_not_compile.cpp", *self.common, code=1)
        self.assertIn("not built", answer.out)
        self.assertRegex(answer.out, r"\| .*error:")
        evaluation = re.search(r"archived as (\S+)", answer.out).group(1)
        log = self.assay("show", evaluation, "--log", "candidate-build.log", "--archive", self.archive).out
        self.assertIn("error:", log)

    def test_the_baseline_against_itself(self):
        answer = self.evaluate(scenario.EXAMPLES / "plain.cpp")
        self.assertTrue(answer["correct"])
        self.assertEqual(answer["incumbent"], scenario.BASELINE)
        self.assertEqual(len(answer["evaluation"]["timings"]), 2)
        self.assertGreater(answer["evaluation"]["checked_calls"], 0)
        self.assertGreater(answer["evaluation"]["timer_floor_ns"], 0)

    def test_a_good_candidate_in_words(self):
        text = self.assay("evaluate", scenario.EXAMPLES / "plain.cpp", *self.common).out
        for part in ["batch_size 1", "batch_size 4", "candidate µs", "incumbent µs", f"{scenario.BASELINE} (95 % interval",
                     "process pairs)", "archived as e-", "next: "]:
            self.assertIn(part, text)

    def test_compare_covers_all_workloads(self):
        answer = self.assay("compare", scenario.BASELINE, scenario.EXAMPLES / "plain.cpp", *self.common, "--json").json()
        self.assertEqual(answer["evaluation"]["stage"], "sweep")
        self.assertEqual(len(answer["evaluation"]["timings"]), 2)
        self.assertEqual(answer["decision"]["workloads"], 2)

    def test_everything_is_in_the_archive_afterwards(self):
        self.evaluate(BAD / "forgets_beta.cpp", code=1)
        listed = self.assay("candidates", "--archive", self.archive, "--json").json()
        digests = {entry["name"]: entry["digest"] for entry in listed}
        shown = self.assay("show", digests["forgets_beta"][:8], "--archive", self.archive, "--json").json()
        self.assertEqual(shown["evaluations"][0]["outcome"], "incorrect")
        source = self.assay("show", digests["forgets_beta"][:8], "--source", "--archive", self.archive).out
        self.assertIn("ASSAY_KERNEL", source)
        verified = self.assay("archive", "verify", "--archive", self.archive, "--json").json()
        self.assertTrue(verified["ok"], verified)


if __name__ == "__main__":
    scenario.main()
