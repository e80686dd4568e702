"""Defects that the official inputs do not show: the contest's own evaluator passes them, Assay does not."""

import json

import assay_scenario as scenario

TOPK = "dsa_topk_indexer_fp8_h64_d128_topk2048_ps64"
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


if __name__ == "__main__":
    scenario.main()
