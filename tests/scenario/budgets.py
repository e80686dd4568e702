"""A campaign stops inside its budget: dollars, tokens, seconds of the device, minutes. The device and the clock are
simulated ones but in the last test, so that their limits are small; spending_test.cpp has sixty seconds and five minutes."""

import assay_scenario as scenario
from agents_propose import EDIT, STREAMS


class BudgetsTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 1)
        self.at = ["--archive", self.archive]

    def campaign(self, *options, device="simulated:7", **extra):
        return self.assay("campaign", "run", "night", "--dataset", self.small, *self.at, "--device", device, "--policy",
                          self.policy(stress_trials=0), *options, **extra)

    def spending(self):
        return self.assay("campaign", "status", "night", *self.at, "--json").json()["spending"]

    def playing(self, name, stream, *changes):
        """A program of this name that edits the source, and says what was recorded, with other numbers."""
        recorded = (STREAMS / name / f"{stream}.stdout.jsonl").read_text()
        for old, new in changes:
            self.assertIn(old, recorded)
            recorded = recorded.replace(old, new)
        self.write(f"bin/{name}", EDIT + f"cat <<'RECORDED'\n{recorded}RECORDED\n").chmod(0o755)
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}

    def test_one_dollar(self):
        extra = self.playing("claude", "bare", ("0.02031", "0.3"))
        finished = self.campaign("--agent", "claude", "--rounds", "9", "--per-round", "1", "--run-dollars", "0.4",
                                 "--budget-dollars", "1", **extra)
        # 0.3 and 0.3 are spent, 0.4 are left for a third; before a fourth 0.1.
        ledger = self.spending()["ledger"]["micro_dollars"]
        self.assertEqual(ledger, {"spent": 900000, "reserved": 0, "limit": 1000000, "left": 100000})
        self.assertIn("is not asked", finished.err)
        self.assertIn("Spent: $0.9000", finished.out)

    def test_a_thousand_tokens(self):
        extra = self.playing("codex", "simple", ('"input_tokens":1200', '"input_tokens":250'),
                             ('"cached_input_tokens":800', '"cached_input_tokens":200'),
                             ('"output_tokens":150', '"output_tokens":50'))
        self.campaign("--agent", "codex", "--rounds", "9", "--per-round", "1", "--run-tokens", "400", "--budget-tokens",
                      "1000", **extra)
        spending = self.spending()
        self.assertEqual(spending["ledger"]["tokens"], {"spent": 900, "reserved": 0, "limit": 1000, "left": 100})
        self.assertIn("raise it", spending["budget_reached"])

    def test_a_limit_is_raised_by_a_person_and_never_lowered(self):
        extra = self.playing("claude", "bare", ("0.02031", "0.3"))
        options = ["--agent", "claude", "--rounds", "9", "--per-round", "1", "--run-dollars", "0.4", "--budget-dollars"]
        self.campaign(*options, "1", **extra)
        self.assertEqual(self.spending()["ledger"]["micro_dollars"]["spent"], 900000)
        lower = self.assay("campaign", "resume", "night", *self.at, "--budget-dollars", "0.5", code=2, **extra)
        self.assertIn("only ever raised", lower.err)
        raised = self.assay("campaign", "resume", "night", *self.at, "--budget-dollars", "1.5", "--by", "Ada", **extra)
        ledger = self.spending()["ledger"]["micro_dollars"]
        self.assertEqual((ledger["spent"], ledger["limit"]), (1200000, 1500000))
        self.assertEqual(self.spending()["raised"][0]["by"], "Ada")
        self.assertIn("Ada raised the limits to $1.5000", raised.out)
        self.campaign(*options, "2", "--by", "Bob", **extra)
        self.assertEqual(self.spending()["ledger"]["micro_dollars"]["limit"], 2000000)
        self.campaign(*options, "1", **extra)  # As it was begun: what was raised since stays.
        self.assertEqual(self.spending()["ledger"]["micro_dollars"]["limit"], 2000000)
        self.assertIsNone(self.assay("replay-journal", "night", *self.at, "--json").json()["difference"])

    def tuned(self, *options, **extra):
        return self.campaign("--tunable", scenario.TUNABLE, "--rounds", "4", "--per-round", "2", *options, **extra)

    def test_the_device_and_the_clock(self):
        self.tuned()
        whole = self.spending()["ledger"]
        for option, resource, unit in (("--budget-device-seconds", "device_ms", 1000),
                                       ("--budget-minutes", "wall_ms", 60000)):
            with self.subTest(resource=resource):
                self.archive = self.folder / f"archive-{resource}"
                self.at = ["--archive", self.archive]
                limit = whole[resource]["spent"] * 2 // 3
                finished = self.tuned(option, limit / unit)
                status = self.assay("campaign", "status", "night", *self.at, "--json").json()
                ledger = status["spending"]["ledger"][resource]
                self.assertEqual(ledger["limit"], limit)
                self.assertLessEqual(ledger["spent"], limit)
                self.assertGreater(ledger["spent"], 0)
                self.assertIn("is not made", finished.err)
                self.assertIn("A limit was reached", finished.out)
                if status["incumbent"] is not None:
                    self.assertIsNotNone(status["confirmation"], "what the confirmation takes was kept")
                # Once more: nothing is spent.
                self.assay("campaign", "resume", "night", *self.at)
                self.assertEqual(self.spending()["ledger"][resource], ledger)
                answer = self.assay("replay-journal", "night", *self.at, "--json").json()
                self.assertIsNone(answer["difference"])

    def test_each_promotion_has_a_cost(self):
        for seed in range(1, 9):
            self.archive = self.folder / f"archive-{seed}"
            self.at = ["--archive", self.archive]
            finished = self.campaign("--tunable", scenario.TUNABLE, "--rounds", "1", "--per-round", "4",
                                     device=f"simulated:{seed}")
            spending = self.spending()
            if spending["promotions"]:
                break
        promotions = spending["promotions"]
        self.assertTrue(promotions, "no variant wins on any of eight simulated devices")
        self.assertIn(f"The promotion of candidate {promotions[0]['candidate']} cost", finished.out)
        total = sum(one["cost"]["device_ms"] for one in promotions) + spending["since_promotion"]["device_ms"]
        self.assertEqual(total, spending["ledger"]["device_ms"]["spent"])
        self.assertIn("The promotion of candidate", (self.archive / "reports" / "night.html").read_text())

    def test_a_real_device(self):
        self.tuned("--budget-device-seconds", "1", device="cpu")
        ledger = self.spending()["ledger"]["device_ms"]
        self.assertLessEqual(ledger["spent"], 1000)
        self.assertGreater(ledger["spent"], 0)
        self.assertIsNotNone(self.spending()["budget_reached"])


if __name__ == "__main__":
    scenario.main()
