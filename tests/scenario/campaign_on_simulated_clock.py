"""A whole campaign on a simulated clock: run, status, approve, resume, report, export."""

import fcntl
import re

import assay_scenario as scenario

BAD = scenario.EXAMPLES / "bad"


class CampaignTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 4)
        self.at = ["--archive", self.archive]

    def run_campaign(self, *arguments, approval="policy", code=0, device="simulated:7", per_round=4, stress_trials=0):
        return self.assay("campaign", "run", "tune", "--dataset", self.small, *self.at, "--tunable", scenario.TUNABLE,
                          "--rounds", "1", "--per-round", per_round, "--device", device, "--policy",
                          self.policy(approval, stress_trials=stress_trials),
                          *arguments, code=code)

    def test_from_the_first_candidate_to_the_report(self):
        bad = [BAD / f"{name}.cpp" for name in ("does_not_compile", "crashes", "never_returns", "edited_comment",
                                                "leaves_one_out")]
        report = self.folder / "report.html"
        finished = self.run_campaign("--report", report, "--also", *bad, stress_trials=1)
        self.assertIn("report: ", finished.out)
        self.assertGreaterEqual(len(finished.err.splitlines()), 9, "a line a candidate")

        status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        self.assertEqual(status["phase"], "finished")
        outcomes = [candidate["outcome"] for candidate in status["candidates"]]
        self.assertEqual(outcomes[:5], ["not_built", "crashed", "timed_out", "duplicate", "incorrect"])
        self.assertEqual(len(outcomes), 9)
        self.assertTrue(all(candidate["cause"] for candidate in status["candidates"]))
        if status["incumbent"] is not None:
            self.assertEqual(status["confirmation"]["workloads"], 2)

        page = report.read_text()
        self.assertIn("<svg", page)
        self.assertNotIn("<script", page)
        self.assertFalse(re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"", page), "it must need nothing else")
        self.assertFalse(re.findall(r"url\(\s*['\"]?http", page))
        for candidate in status["candidates"]:
            self.assertIn(candidate["digest"][:12], page)

        # A second time it answers from the archive, with the same content.
        again = self.run_campaign("--json", "--also", *bad, stress_trials=1).json()
        again.pop("report")
        self.assertEqual(again, status)

        listed = self.assay("candidates", "--campaign", "tune", *self.at, "--json").json()
        self.assertEqual([entry["outcome"] for entry in listed], outcomes)
        self.assertTrue(self.assay("archive", "verify", *self.at, "--json").json()["ok"])

    def test_the_same_seed_gives_the_same_campaign(self):
        self.run_campaign()
        first = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        self.archive = self.folder / "other"
        self.at = ["--archive", self.archive]
        self.run_campaign()
        second = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        first.pop("created")
        second.pop("created")
        self.assertEqual(first, second)

    def test_injections_are_told_apart_from_candidates(self):
        policy = self.policy(injections="null_rate = 1\nnull_sweep_share = 1\nslower_rate = 1", stress_trials=0)
        finished = self.assay("campaign", "run", "tune", "--dataset", self.small, *self.at, "--tunable",
                              scenario.TUNABLE, "--rounds", "2", "--per-round", "3", "--device", "simulated:7",
                              "--policy", policy)
        status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        self.assertEqual(status["phase"], "finished")
        self.assertEqual(len(status["candidates"]), 6)
        nulls = [injection for injection in status["injections"] if injection["kind"] == "null"]
        self.assertEqual([null["round"] for null in nulls], [1, 2])
        for null in nulls:
            # A copy is as fast as what it copies, on a simulated clock too, and never becomes the incumbent.
            self.assertAlmostEqual(null["speedup"], 1, delta=0.03)
            self.assertEqual(null["decision"]["verdict"], "keep_incumbent", null)
            self.assertTrue(null["sweep_evaluation"])
            shown = self.assay("show", null["gate_evaluation"], *self.at, "--json").json()
            evaluation = shown["report"]["evaluation"]
            self.assertNotEqual(evaluation["candidate"]["content"], evaluation["incumbent"]["content"])
            self.assertEqual(evaluation["candidate"]["normalised"], evaluation["incumbent"]["normalised"])
        self.assertEqual(status["alarms"], [])
        numbers = {candidate["digest"] for candidate in status["candidates"]}
        self.assertFalse(numbers & {null["digest"] for null in nulls})
        self.assertIn("injection 1", finished.err)
        self.assertIn("id=\"injections\"", (self.archive / "reports" / "tune.html").read_text())
        # Whoever leaves the race without a sweep is told by whom.
        for candidate in status["candidates"]:
            if candidate["outcome"] == "better" and not candidate["sweep_evaluation"]:
                self.assertIn(candidate["outrun"]["ground"], ("bounds", "cap"), candidate)
        # The headline is the confirmation's; what chose the incumbent stands beside it as that.
        if status["incumbent"] is not None:
            self.assertTrue(status["confirmations"][-1]["holds"])
            self.assertEqual(status["confirmations"][-1]["decision"], status["confirmation"])
            self.assertEqual(status["screening"]["evaluation"], f"tune-{status['incumbent']}-sweep-1")

    def test_another_configuration_under_the_name_is_refused(self):
        self.run_campaign(per_round=1)
        finished = self.run_campaign("--seed", "99", per_round=1, code=2)
        self.assertIn("99", finished.err)
        self.assertIn("assay campaign resume tune", finished.err)

    def campaign_with_a_winner(self):
        """On a simulated clock a variant's speed is chance: takes the first of a few devices where one wins."""
        for seed in range(1, 9):
            self.archive = self.folder / f"archive-{seed}"
            self.at = ["--archive", self.archive]
            self.run_campaign(approval="person", device=f"simulated:{seed}")
            status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
            if status["phase"] == "awaiting_approval":
                return status
        self.fail("no variant wins on any of eight simulated devices")

    def test_a_person_decides(self):
        status = self.campaign_with_a_winner()
        waiting = status["awaiting"]
        self.assertIsNone(status["incumbent"])
        summary = self.assay("campaign", "status", "tune", *self.at).out
        self.assertIn("assay approve tune", summary)

        self.assay("approve", "tune", "--who", "me", "--why", "read it", *self.at)
        self.assay("campaign", "resume", "tune", *self.at)
        status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        # There may be another winner in the same round; approve until the campaign is done.
        for _ in range(8):
            if status["phase"] != "awaiting_approval":
                break
            self.assay("approve", "tune", "--refuse", "--who", "me", "--why", "one is enough", *self.at)
            self.assay("campaign", "resume", "tune", *self.at)
            status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        self.assertEqual(status["phase"], "finished")
        self.assertEqual(status["incumbent"], waiting)
        self.assay("approve", "tune", *self.at, code=2)

        out = self.folder / "out"
        exported = self.assay("export", "tune", "--output", out, *self.at, "--json").json()
        self.assertEqual(exported["traces"], 2)
        kinds = {"definitions": "definition", "workloads": "workload", "solutions": "solution", "traces": "trace"}
        for name in exported["files"]:
            self.assay("validate", "--kind", kinds[name.split("/")[0]], out / name)
        report = self.folder / "report.html"
        self.assay("report", "tune", "--output", report, *self.at)
        self.assertIn("me", report.read_text())
        # What was exported is a dataset, and its solution can be judged again.
        answer = self.assay("evaluate", exported["solution"], "--dataset", out, "--archive", self.folder / "third",
                            "--device", "simulated:7", "--policy", self.policy(stress_trials=0), "--json").json()
        self.assertTrue(answer["correct"])

    def test_a_campaign_that_runs_locks_its_archive(self):
        self.run_campaign(per_round=1)
        lock = open(self.archive / "lock", "a")
        self.addCleanup(lock.close)
        fcntl.flock(lock, fcntl.LOCK_EX)
        finished = self.assay("campaign", "resume", "tune", *self.at, code=3)
        self.assertIn("in use", finished.err)
        self.assay("campaign", "status", "tune", *self.at)


if __name__ == "__main__":
    scenario.main()
