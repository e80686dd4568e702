"""What the supervisor finds and does, decisions that wait for a person, steers, and the archived traces."""

import json

import assay_scenario as scenario

TRACES = scenario.REPOSITORY / "tests" / "data" / "traces"

# Leaves what no compiler takes, another text each time, and tells the prompt that it was given.
BREAK = """#!/bin/sh
tried=$(od -An -N6 -tx1 /dev/urandom | tr -d ' \\n')
for source in candidate/*; do
  echo "#error attempt $tried" > "$source"
done
cat PROMPT.md
"""


class SupervisorTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 4)
        self.at = ["--archive", self.archive]

    def status(self, name):
        return self.assay("campaign", "status", name, *self.at, "--json").json()

    def test_a_dear_sweep_waits_for_a_person(self):
        report = self.folder / "report.html"
        started = self.assay("campaign", "run", "tune", "--dataset", self.small, *self.at, "--tunable", scenario.TUNABLE,
                             "--rounds", "1", "--per-round", "4", "--device", "simulated:7", "--policy", self.policy(stress_trials=0),
                             "--ask-above-sweep-seconds", "0")
        self.assertIn("assay inbox", started.out)
        waiting = self.assay("inbox", *self.at, "--json").json()
        self.assertEqual([item["id"] for item in waiting], ["tune-decision-1"])
        self.assertEqual([one["option"] for one in waiting[0]["options"]], ["sweep", "skip"])
        self.assertIn("leave it unswept", waiting[0]["default"])
        text = self.assay("inbox", *self.at).out
        self.assertIn("if nobody answers: leave it unswept", text)

        refused = self.assay("inbox", "answer", "tune-decision-1", "go_on", "--by", "Ada", *self.at, code=2)
        self.assertIn("choose one of sweep, skip", refused.err)
        self.assay("inbox", "answer", "tune-decision-1", "sweep", "--by", "Ada", "--minutes", "3", "--because", "worth it",
                   *self.at)
        self.assay("steer", "tune", "--by", "Bob", "--minutes", "2", "look at the loads", *self.at)
        for number in range(2, 6):
            self.assay("campaign", "resume", "tune", *self.at, "--report", report)
            if self.status("tune")["phase"] == "finished":
                break
            self.assay("inbox", "answer", f"tune-decision-{number}", "skip", "--by", "Ada", *self.at)
        status = self.status("tune")
        self.assertEqual(status["phase"], "finished")
        decision = status["supervisor"]["decisions"][0]
        self.assertEqual(decision["answer"], {"option": "sweep", "value": "", "by": "Ada", "minutes": 3.0,
                                              "because": "worth it"})
        steer = status["supervisor"]["steers"][0]
        self.assertEqual((steer["by"], steer["minutes"], steer["text"]), ("Bob", 2.0, "look at the loads"))
        self.assertIn("undecided", steer["effect"]["verdict"])
        self.assertEqual(self.assay("inbox", *self.at, "--json").json(), [])
        page = report.read_text()
        self.assertIn("The supervisor", page)
        self.assertIn("look at the loads", page)
        late = self.assay("steer", "tune", "--by", "Bob", "too late", *self.at, code=2)
        self.assertIn("nothing is changed", late.err)

    def test_failures_are_told_to_whoever_proposes(self):
        program = self.write("bin/break", BREAK)
        program.chmod(0o755)
        self.assay("campaign", "run", "night", "--dataset", self.small, *self.at, "--agent", f"command:{program}",
                   "--device", "simulated:7", "--policy", self.policy(stress_trials=0), "--per-round", "4", "--rounds", "4")
        findings = self.status("night")["supervisor"]["findings"]
        self.assertEqual([(one["condition"], one["cause"], one["recovery"], one["round"]) for one in findings],
                         [("stall", "invalid_rate", "fix_prompt", 3)])
        prompts = sorted((self.archive / "agent-runs").iterdir(), key=lambda path: int(path.stem.rsplit("-", 1)[1]))
        note = "judged attempts (100 %) failed"
        self.assertNotIn(note, prompts[11].read_text())
        self.assertIn(note, prompts[12].read_text())
        shown = self.assay("campaign", "status", "night", *self.at).out
        self.assertIn("after round 3, a stall (too many attempts are invalid): fix the prompt", shown)

    def test_without_a_supervisor_nothing_is_found(self):
        program = self.write("bin/break", BREAK)
        program.chmod(0o755)
        self.assay("campaign", "run", "night", "--dataset", self.small, *self.at, "--agent", f"command:{program}",
                   "--device", "simulated:7", "--policy", self.policy(stress_trials=0), "--per-round", "4", "--rounds", "4",
                   "--no-supervisor")
        self.assertNotIn("supervisor", self.status("night"))

    def test_the_archived_traces_are_marked(self):
        page = self.folder / "audit.html"
        found = json.loads(self.assay("audit", TRACES, "--json", "--html", page).out)["supervisor"]
        self.assertEqual(len(found), 5)
        phantoms = [(trace, mark["found"]["iteration"]) for trace, told in found.items() for mark in told["marks"]
                    if mark["condition"] == "phantom"]
        self.assertEqual(phantoms, [("gdn_decode_qk4_v8_d128_k_last", 5)])
        plateaus = {trace: len([mark for mark in told["marks"] if mark["condition"] == "plateau"])
                    for trace, told in found.items()}
        self.assertGreaterEqual(plateaus["moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048"], 2)
        self.assertEqual(plateaus["gdn_prefill_qk4_v8_d128_k_last"], 0, "it improved to its end")
        self.assertIn("a phantom gain", page.read_text())


if __name__ == "__main__":
    scenario.main()
