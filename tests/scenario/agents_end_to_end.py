"""On a CPU and with no model, from the first proposal to a confirmed promotion: the tuner, a program, and Codex and Claude Code
played from their recorded streams in the sandbox of agents."""

import agent_play
import assay_scenario as scenario


class EndToEndTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(8, 16)
        self.slow = agent_play.slow_baseline(self.folder)

    def campaign(self, *options, **extra):
        """Runs a campaign on the real CPU and returns its status, which must end with a promotion that was confirmed."""
        self.assay("campaign", "run", "night", "--dataset", self.small, "--archive", self.archive, "--policy", self.eased("quick"),
                   "--device", "cpu", "--baseline", self.slow, *options, **extra)
        status = self.assay("campaign", "status", "night", "--archive", self.archive, "--json").json()
        self.assertEqual(status["phase"], "finished")
        self.assertIsNotNone(status["incumbent"], status["candidates"])
        self.assertEqual(status["confirmation"]["verdict"], "promote")
        self.assertGreater(status["confirmation"]["speedup"], 2)
        return status

    def played(self, agent, stream):
        """The agent's program, which writes a faster kernel between the lines of a recorded stream."""
        recorded = agent_play.stream(agent, stream)
        begun = agent_play.written_at(agent, recorded)
        script = (f"replay stream {begun}\n"
                  'write hypothesis.json {"change": "blocks of rows", "regime": "all", "predicted_effect": "3x"}\n'
                  "copy faster candidate/kernel.cpp\n"
                  f"rest stream {begun}\n")
        agent_play.carrying(self.folder / "bin" / agent, script, stream=recorded,
                            faster=agent_play.FASTER.read_bytes())
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}

    def test_by_the_tuner(self):
        self.campaign("--tunable", scenario.TUNABLE, "--rounds", "2", "--per-round", "3")

    def test_by_a_program(self):
        # The sandbox shows it nothing of ours: it must carry what it writes.
        edit = self.write("bin/edit", "#!/bin/sh\ncat > candidate/kernel.cpp <<'SOURCE'\n" +
                          agent_play.FASTER.read_text() + "SOURCE\n"
                          "echo '{\"change\": \"vectors\", \"regime\": \"all\"}' > hypothesis.json\n")
        edit.chmod(0o755)
        status = self.campaign("--agent", f"command:{edit}", "--rounds", "1", "--per-round", "1")
        self.assertEqual(status["candidates"][0]["hypothesis"]["change"], "vectors")

    def test_by_codex(self):
        status = self.campaign("--agent", "codex", "--rounds", "1", "--per-round", "1", **self.played("codex", "tools2"))
        self.assertEqual(status["agent"]["outcomes"], ["finished"])
        self.assertEqual(status["agent"]["ledger"]["tokens"]["spent"], 8400 + 1050, "as the stream accounts for")
        self.assertEqual(status["candidates"][0]["hypothesis"]["change"], "blocks of rows")

    def test_agents_submit_from_inside_their_sandbox_and_hear_the_result_in_the_same_run(self):
        for agent, dialogue, recorded in (("codex", "codex_mcpdual", "mcpdual"), ("claude", "claude_mcp_dual", "mcpdual")):
            with self.subTest(agent=agent):
                self.archive = self.folder / f"archive-{agent}"
                script = (f"begin dialogue {scenario.PROGRAMS / 'assay'} mcp --connect /assay-tools/tools\n"
                          'call submit_candidate {"sources":[{"path":"kernel.cpp","content":${faster}}],'
                          '"change":"blocks of rows"}\n'
                          'call wait_for_job {"job":${job},"max_seconds":50}\nuntil "judged":true\n'
                          'call get_state {}\nanswers candidate/said.h\nleave\nreplay stream\n')
                agent_play.carrying(self.folder / "bin" / agent, script, stream=agent_play.stream(agent, recorded),
                                    faster=agent_play.FASTER.read_bytes(),
                                    dialogue=(agent_play.DIALOGUES / f"{dialogue}.log").read_bytes())
                status = self.campaign("--agent", agent, "--agent-tools", "--rounds", "2", "--per-round", "1",
                                       PATH=f"{self.folder / 'bin'}:/usr/bin:/bin")
                first, second = status["candidates"]
                self.assertEqual(first["name"], "night-job-1", "submitted")
                self.assertTrue(first["promoted"])
                self.assertEqual(second["name"], "night-run-1", "left: the baseline, and what the server had said")
                self.assertEqual(set(status["agent"]["outcomes"]), {"finished"})
                self.assertEqual(status["agent"]["ledger"]["tokens"]["reserved"], 0)
                shown = self.assay("show", second["digest"], "--source", "--archive", self.archive).out
                self.assertIn('"promoted":true', shown, "it heard of it while it ran")

    def test_by_claude(self):
        status = self.campaign("--agent", "claude", "--rounds", "1", "--per-round", "1", **self.played("claude", "bare"))
        self.assertEqual(status["agent"]["outcomes"], ["finished"])
        self.assertEqual(status["agent"]["ledger"]["micro_dollars"]["spent"], 20310, "as the stream accounts for")


if __name__ == "__main__":
    scenario.main()
