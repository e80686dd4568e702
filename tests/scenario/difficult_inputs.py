"""Defects that the official inputs do not show: the contest's own evaluator passes them, Assay does not."""

import json

import assay_scenario as scenario

TOPK = "dsa_topk_indexer_fp8_h64_d128_topk2048_ps64"
SMALL = scenario.REPOSITORY / "datasets" / "small"
EXAMPLES = scenario.REPOSITORY / "examples" / "dsa_topk_indexer"


class TopkTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.workloads = self.long_rows(2)

    def long_rows(self, count):
        """UUIDs of the smallest workloads that have a row longer than the selection."""
        text = (scenario.DATASET / "workloads" / "dsa_paged" / f"{TOPK}.jsonl").read_text()
        workloads = [json.loads(line)["workload"] for line in text.splitlines()]
        long = [workload for workload in workloads if workload["axes"]["max_num_pages"] > 32]
        long.sort(key=lambda workload: workload["axes"]["batch_size"] * workload["axes"]["max_num_pages"])
        return ",".join(workload["uuid"] for workload in long[:count])

    def evaluate(self, kernel, code):
        return self.assay("evaluate", kernel, "--definition", TOPK, "--dataset", scenario.DATASET, "--archive",
                          self.archive, "--workloads", self.workloads, "--policy", self.policy(), "--compat",
                          "flashinfer-bench", "--json", code=code).json()["evaluation"]

    def test_a_selector_that_skips_the_top_byte_passes_there_and_fails_here(self):
        evaluation = self.evaluate(EXAMPLES / "bad" / "skips_top_byte.cpp", code=1)
        self.assertTrue(evaluation["official"]["passed"], evaluation)
        self.assertEqual(evaluation["official"]["trials"], 6)
        self.assertEqual(evaluation["outcome"], "incorrect")
        self.assertIn("difficult input", evaluation["cause"])

    def test_an_honest_one_passes_both(self):
        evaluation = self.evaluate(EXAMPLES / "plain.cpp", code=0)
        self.assertTrue(evaluation["official"]["passed"], evaluation)
        self.assertGreater(evaluation["stress_trials"], 0)


class ChainTest(scenario.Scenario):
    # What is cut off always has the same sign: no step errs by more than it may, but 64 of them do.
    WRAPPER = """
ASSAY_KERNEL(run) {
  const int32_t status = honest(call);
  const DLTensor* state = assay_output(call, 1);
  for (int64_t i = 0; i < state->shape[0] * 8 * 128 * 128; ++i) {
    uint32_t bits;
    memcpy(&bits, static_cast<float*>(state->data) + i, sizeof bits);
    bits &= MASK;
    memcpy(static_cast<float*>(state->data) + i, &bits, sizeof bits);
  }
  return status;
}
"""

    def evaluate(self, mask, code):
        plain = (scenario.EXAMPLES / "plain.cpp").read_text()
        honest = plain.replace("ASSAY_KERNEL(run)", "static int32_t honest(const assay_call* call)")
        candidate = self.write(f"{mask}.cpp", honest + self.WRAPPER.replace("MASK", mask))
        return self.assay("evaluate", candidate, "--definition", scenario.DEFINITION, "--dataset", self.dataset(1, 4),
                          "--archive", self.archive, "--policy", self.policy(), "--against", "none", "--json",
                          code=code).json()["evaluation"]

    def test_a_state_that_loses_digits_shows_after_64_steps(self):
        evaluation = self.evaluate("0xffffffc0u", 1)
        self.assertEqual(evaluation["outcome"], "incorrect")
        self.assertIn("after 64 steps", evaluation["cause"])
        self.assertIn("new_state", evaluation["cause"])

    def test_a_whole_state_passes(self):
        evaluation = self.evaluate("0xffffffffu", 0)
        self.assertIn("a chain of calls", json.dumps(evaluation["phases"]))


class CheckDefinitionTest(scenario.Scenario):
    def check(self, *arguments, code=0):
        return self.assay("check-definition", *arguments, code=code)

    def definitions(self, dataset):
        return sorted(path.stem for path in (dataset / "definitions").glob("*/*.json"))

    def assert_proved(self, definition, dataset):
        answer = self.check(definition, "--dataset", dataset, "--json").json()
        self.assertEqual(answer["honest_passed"], answer["honest_trials"])
        self.assertGreater(answer["honest_trials"], 0)
        open_questions = [row for row in answer["impostors"] if row["rejected"] != row["trials"]]
        self.assertEqual(open_questions, [])
        tried = {row["impostor"] for row in answer["impostors"] if row["trials"] > 0}
        self.assertLessEqual({"zeros", "stale", "dropped_tile"}, tried)
        self.assertTrue(any(row["trials"] > 0 for row in answer["inputs"]))
        return answer

    def test_the_tolerances_of_every_small_definition_are_proved(self):
        names = self.definitions(SMALL)
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(definition=name):
                self.assert_proved(name, SMALL)

    def test_gdn_decode_is_proved_where_the_contests_rule_is_vacuous(self):
        dataset = self.dataset(1, 4)
        answer = self.assert_proved(scenario.DEFINITION, dataset)
        passed = sum(row["trials"] - row["officially_rejected"] for row in answer["impostors"])
        self.assertGreater(passed, 0)
        text = self.check(scenario.DEFINITION, "--dataset", dataset).out
        for part in ("impostor", "by flashinfer-bench", "less_precision", "tell every impostor from a right answer"):
            self.assertIn(part, text)

    def test_an_unknown_definition_is_a_bad_request(self):
        self.assertIn("nothing_like_it", self.check("nothing_like_it", "--dataset", SMALL, code=2).err)


if __name__ == "__main__":
    scenario.main()
