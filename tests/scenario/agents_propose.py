"""Campaigns in which an agent proposes, on a simulated clock: any program, and the recorded Codex and Claude Code."""

import assay_scenario as scenario

STREAMS = scenario.REPOSITORY / "tests" / "data" / "agent_streams"

# Appends a constant to the source, another one each time: what was tried so far is in state.json. It is exported, so that
# the machine code is another one too.
EDIT = """#!/bin/sh
tried=$(grep -c '"number"' state.json)
for source in candidate/*; do
  echo "extern const int attempt_$tried; const int attempt_$tried = $tried;" >> "$source"
done
echo '{"change": "adds a constant", "regime": "all"}' > hypothesis.json
"""


class AgentsProposeTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 8)

    def program(self, name, text):
        path = self.write(f"bin/{name}", text)
        path.chmod(0o755)
        return path

    def campaign(self, agent, *options, code=0, **extra):
        return self.assay("campaign", "run", "night", "--dataset", self.small, "--archive", self.archive, "--agent", agent,
                          "--device", "simulated:7", "--policy", self.policy(stress_trials=1), "--per-round", "1", *options,
                          code=code,
                          **extra)

    def status(self):
        return self.assay("campaign", "status", "night", "--archive", self.archive, "--json").json()

    def playing(self, name, stream, code=0):
        """A program of this name that edits the source, and says what was recorded."""
        recorded = (STREAMS / name / f"{stream}.stdout.jsonl").read_text()
        self.program(name, EDIT + f"cat <<'RECORDED'\n{recorded}RECORDED\nexit {code}\n")
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}

    def test_any_program_proposes_by_the_files_that_it_leaves(self):
        edit = self.program("edit", EDIT)
        self.campaign(f"command:{edit}", "--rounds", "3")
        status = self.status()
        self.assertEqual(status["phase"], "finished")
        self.assertEqual([candidate["name"] for candidate in status["candidates"]],
                         ["night-run-1", "night-run-2", "night-run-3"])
        for candidate in status["candidates"]:
            self.assertIn(candidate["outcome"], ["better", "not_better", "indistinguishable"])
        self.assertEqual(sorted(path.name for path in (self.archive / "agent-runs").iterdir()),
                         ["night-run-1.jsonl", "night-run-2.jsonl", "night-run-3.jsonl"])

    def test_claude_is_stopped_by_its_budget(self):
        extra = self.playing("claude", "bare")  # $0.02031 a run
        finished = self.campaign("claude", "--rounds", "9", "--run-dollars", "0.03", "--budget-dollars", "0.08", **extra)
        # 0.03 fits before the first, second and third run (0.0406 spent); before the fourth 0.0191 are left.
        status = self.status()
        self.assertEqual(len(status["candidates"]), 3)
        self.assertEqual(status["agent"]["ledger"]["micro_dollars"], {"spent": 60930, "reserved": 0, "limit": 80000,
                                                                      "left": 19070})
        self.assertEqual(status["agent"]["outcomes"], ["finished"] * 3)
        self.assertIn("is not asked", finished.err)

    def test_codex_without_credit_is_the_environments_and_resumes(self):
        extra = self.playing("codex", "err_quota", code=1)
        finished = self.campaign("codex", "--rounds", "1", code=3, **extra)
        self.assertIn("add credit", finished.err)
        self.assertEqual(self.status()["candidates"], [])
        extra = self.playing("codex", "tools2")
        self.assay("campaign", "resume", "night", "--archive", self.archive, **extra)
        self.assertEqual(len(self.status()["candidates"]), 1)

    def test_what_is_wrong_is_told_before_anything_is_measured(self):
        self.assertIn("no agent", self.campaign("gemini", code=2).err)
        self.assertIn("--run-dollars", self.campaign("command:true", "--budget-dollars", "1", code=2).err)
        self.assertIn("one of them", self.campaign("command:true", "--tunable", scenario.TUNABLE, code=2).err)
        self.assertFalse(self.archive.exists())


if __name__ == "__main__":
    scenario.main()
