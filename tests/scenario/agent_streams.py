"""What recorded runs of coding agents were, as `assay agent parse` tells it."""

import assay_scenario as scenario

STREAMS = scenario.REPOSITORY / "tests" / "data" / "agent_streams"


class AgentStreamTest(scenario.Scenario):
    def parse(self, program, name, *options):
        return self.assay("agent", "parse", "--as", program, STREAMS / program / f"{name}.stdout.jsonl", "--json",
                          *options).json()

    def test_a_finished_run(self):
        found = self.parse("codex", "tools2", "--exit-code", 0)
        self.assertEqual(found["outcome"], "finished")
        self.assertEqual(found["session"], "01a227ba-a959-7162-9e4b-6878952aaeb5")
        self.assertEqual(found["files"], [{"path": "/workdir/kernel2.cu", "kind": "add"}])
        self.assertEqual(found["spend"]["certainty"], "exact")
        self.assertEqual(found["spend"]["tokens"], {"input": 8400, "cached_input": 5600, "cache_write": 0,
                                                    "output": 1050, "reasoning": 448})
        self.assertIsNone(found["spend"]["dollars"], "Codex tells none, which is not nothing")

    def test_a_lost_account_is_not_zero(self):
        found = self.parse("codex", "err_usage", "--exit-code", 1)
        self.assertEqual((found["outcome"], found["environment"]), ("quota", True))
        self.assertEqual(found["spend"]["certainty"], "unknown")

    def test_a_resumed_session_is_not_counted_twice(self):
        whole = self.parse("claude", "resume")
        self.assertAlmostEqual(whole["spend"]["dollars"], 0.04062)
        run = self.parse("claude", "resume", "--after", STREAMS / "claude" / "simple_json.stdout.jsonl")
        self.assertAlmostEqual(run["spend"]["dollars"], 0.02031)
        self.assertAlmostEqual(run["session_total"]["dollars"], 0.04062)

    def test_people_get_words(self):
        finished = self.assay("agent", "parse", "--as", "claude", STREAMS / "claude" / "err_429.stdout.jsonl")
        self.assertIn("rate_limited", finished.out)
        self.assertIn("no evidence about the agent", finished.out)

    def test_any_bytes_are_read_and_a_missing_file_is_named(self):
        odd = self.folder / "odd.jsonl"
        odd.write_bytes(b'\xff\x00{"type":\n{"type":"turn.completed"')
        found = self.assay("agent", "parse", "--as", "codex", odd, "--json").json()
        self.assertEqual((found["outcome"], found["lines"]["malformed"], found["lines"]["cut_off"]),
                         ("truncated", 1, True))
        self.assertIn("none.jsonl", self.assay("agent", "parse", "--as", "codex", "none.jsonl", code=2).err)


if __name__ == "__main__":
    scenario.main()
