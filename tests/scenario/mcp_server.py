"""`assay mcp` as coding agents use it: both recorded clients played by fake_agent, to a promotion; killed and begun again; what it
tells of a wrong candidate; what it says where it cannot serve."""

import json
import subprocess

import agent_play
import assay_scenario as scenario

ASSAY = scenario.PROGRAMS / "assay"
WRONG = scenario.EXAMPLES / "bad" / "forgets_beta.cpp"


def recorded_lines(name):
    """What the client of a recorded dialogue wrote."""
    lines = (agent_play.DIALOGUES / f"{name}.log").read_text().splitlines()
    return [line.removeprefix("C->S ") for line in lines if line.startswith("C->S ")]


class McpServerTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(8, 16)
        self.slow = agent_play.slow_baseline(self.folder)
        self.words = [ASSAY, "mcp", "--campaign", "night", "--archive", self.archive]
        self.made = [*self.words, "--dataset", self.small, "--submissions", "6"]

    def environment(self, **extra):
        return scenario.environment(ASSAY_BUILD_CACHE=self.shared_cache, **extra)

    def play(self, dialogue, script, device="simulated:7", code=0):
        """Plays a recorded client against the server, and returns what the server said, and the player's stderr."""
        # A real clock needs more pairs than a simulated one.
        real = (["--policy", self.eased("quick"), "--baseline", self.slow] if device == "cpu" else
                ["--policy", self.policy(stress_trials=0)])
        words = " ".join(map(str, [*self.made, "--device", device, *real]))
        text = f"begin {agent_play.DIALOGUES / dialogue}.log {words}\n{script}\nanswers said\n"
        process = subprocess.run([agent_play.FAKE_AGENT], cwd=self.folder, env=self.environment(FAKE_AGENT=text),
                                 text=True, capture_output=True, timeout=self.TIMEOUT)
        self.assertEqual(process.returncode, code, process.stderr)
        said = self.folder / "said"
        return [json.loads(line) for line in said.read_text().splitlines()] if said.exists() else [], process.stderr

    def status(self):
        return self.assay("campaign", "status", "night", "--archive", self.archive, "--json").json()

    def finish(self):
        self.assay("campaign", "resume", "night", "--archive", self.archive)
        return self.status()

    def submit(self, source, change="blocks of rows"):
        return ('submit_candidate {"sources":[{"path":"kernel.cpp","content":${%s}}],"change":"%s"}' % (source, change))

    def promoted_by(self, dialogue):
        said, _ = self.play(dialogue, "call get_task {}\ncall get_state {}\n"
                            'call propose_hypothesis {"regime":"all","limiting_resource":"memory","change":"blocks",'
                            '"predicted_effect":"3x"}\n'
                            f"call {self.submit(agent_play.FASTER)}\n"
                            'call wait_for_job {"job":${job},"max_seconds":50}\nuntil "judged":true\n'
                            "call list_failed_routes {}\nleave", device="cpu")
        result = [line for line in said if "result" in line and '"judged":true' in json.dumps(line, separators=(",", ":"))]
        structured = result[-1]["result"]["structuredContent"]
        self.assertEqual(structured["stage"], "judged")
        self.assertTrue(structured["result"]["promoted"], structured)
        self.assertGreater(structured["result"]["effect"]["estimate"], 2)
        status = self.finish()
        self.assertEqual(status["phase"], "finished")
        self.assertEqual(status["incumbent"], 1)
        self.assertEqual(status["confirmation"]["verdict"], "promote")
        self.assertEqual(status["candidates"][0]["name"], "night-job-1")
        return said

    def test_codex_submits_and_is_promoted(self):
        said = self.promoted_by("codex_mcpdual")
        self.assertEqual(said[0]["result"]["protocolVersion"], "2025-06-18")
        self.assertTrue(all("resultType" not in line.get("result", {}) for line in said))

    def test_claude_submits_and_is_promoted(self):
        said = self.promoted_by("claude_mcp_dual")
        self.assertEqual(said[0]["id"], "server-discover-probe-1")
        self.assertTrue(all(line["result"]["resultType"] == "complete" for line in said if "id" in line))
        progress = [line["params"]["progress"] for line in said if line.get("method") == "notifications/progress"]
        self.assertEqual(progress, sorted(progress))

    def test_what_is_told_of_a_wrong_candidate_holds_nothing_of_the_judges(self):
        said, _ = self.play("codex_mcpdual", f"call {self.submit(WRONG, 'forgets beta')}\n"
                            'call wait_for_job {"job":${job},"max_seconds":50}\nuntil "judged":true\n'
                            'call get_result {"candidate":1}\ncall get_profile {"candidate":1}\ncall get_state {}\n'
                            'call search_history {"query":"forgets"}\ncall compare {"first":0,"second":1}\nleave')
        text = json.dumps(said)
        self.assertIn("does not agree with the reference", text)
        shown = self.assay("show", "night-1-gate-1", "--archive", self.archive, "--json").json()
        evaluation = shown["report"]["evaluation"]
        self.assertEqual(evaluation["outcome"], "incorrect")
        finding = evaluation["findings"][0]
        secrets = [str(finding["expected"]), str(finding["got"]), finding["message"], evaluation["cause"],
                   str(evaluation["seed"])]
        secrets += [json.loads(line)["workload"]["uuid"] for path in (self.small / "workloads").rglob("*.jsonl")
                    for line in path.read_text().splitlines()]
        for secret in secrets:
            if len(secret) > 3 and secret != "None":
                self.assertNotIn(secret, text)

    def test_one_that_is_killed_loses_no_submission(self):
        # The client dies in the middle of a line, right after a submission was answered: its server is gone with it.
        self.play("claude_mcp_dual", f"call {self.submit(agent_play.FASTER)}\nhalf get_state {{}}\nexit 9", code=9)
        self.assertEqual(sorted(path.name for path in (self.archive / "submissions" / "night").glob("*.json")),
                         ["job-1.json"])
        said, _ = self.play("codex_mcpdual", 'call wait_for_job {"job":"night-job-1","max_seconds":50}\n'
                            'until "judged":true\nleave')
        self.assertIn('"stage": "judged"', json.dumps(said))
        self.assertEqual(len(self.status()["candidates"]), 1)

    def test_a_server_that_is_killed_while_it_judges_goes_on(self):
        server = subprocess.Popen(self.made + ["--device", "simulated:7", "--policy", self.policy(stress_trials=0)],
                                  cwd=self.folder, env=self.environment(),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines = recorded_lines("codex_mcpdual")
        call = json.loads(lines[-1])
        call["params"].update(name="submit_candidate", arguments={
            "sources": [{"path": "kernel.cpp", "content": agent_play.FASTER.read_text()}]})
        server.stdin.write("\n".join([*lines[:-1], json.dumps(call)]) + "\n")
        server.stdin.flush()
        while "night-job-1" not in server.stdout.readline():
            pass
        server.kill()
        server.communicate()
        status = self.finish()
        self.assertEqual([candidate["name"] for candidate in status["candidates"]], ["night-job-1"])
        self.assertIsNotNone(status["candidates"][0]["outcome"])

    def test_it_leaves_with_its_client_and_begins_nothing_for_one_that_only_looks(self):
        lines = recorded_lines("claude_mcp_dual")[:2]
        process = subprocess.run(self.made, cwd=self.folder, env=self.environment(), text=True, capture_output=True,
                                 input="\n".join(lines) + "\n", timeout=self.TIMEOUT)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(len(process.stdout.splitlines()), 2)
        self.assertEqual(process.stderr, "")
        self.assertEqual(self.status()["phase"], "baseline", "nothing was measured")

    def test_where_it_cannot_serve_it_says_so_on_stderr_alone(self):
        missing = self.assay("mcp", "--campaign", "night", "--archive", self.archive, code=2)
        self.assertEqual(missing.out, "")
        self.assay("campaign", "run", "tune", "--dataset", self.small, "--archive", self.archive, "--tunable",
                   scenario.TUNABLE, "--rounds", "0", "--device", "simulated:7", "--policy",
                   self.policy(stress_trials=0))
        self.assertIn("takes no submissions",
                      self.assay("mcp", "--campaign", "tune", "--archive", self.archive, code=2).err)
        unknown = self.assay("mcp", "--campaign", "night", "--archive", self.archive, code=2)
        self.assertIn("makes one that takes submissions", unknown.err)


if __name__ == "__main__":
    scenario.main()
