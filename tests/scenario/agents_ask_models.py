"""Campaigns that ask a model over HTTP, played on the loopback, and campaigns that choose among several agents."""

import http.server
import json
import threading

import assay_scenario as scenario

USAGE = {"prompt_tokens": 1200, "completion_tokens": 80}
HYPOTHESIS = {"regime": "all", "mechanism": "adds a constant", "change": "one constant more",
              "predicted_speedup": {"at_least": 1.05}, "predicted_effect": "status: supported"}


class Model(http.server.BaseHTTPRequestHandler):
    """Answers each question by the server's next answer; the last one stays."""

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization"), question))
        status, body = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        if callable(body):
            body = body(question)
        body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def says(content, reason="stop"):
    return {"id": "chat-1", "model": "played-1", "usage": USAGE,
            "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": reason}]}


def edit(question):
    """Gives the entry file back with one exported constant more, another one in each run."""
    text = question["messages"][1]["content"]
    name = text.split("path=")[2].split("\n")[0]  # After state.json, the first source.
    source = text.split(f"path={name}\n")[1].split("```")[0]
    number = text.count('"number"')
    return says(f"I add a constant.\n```cpp path={name}\n{source}"
                f"extern const int attempt_{number}; const int attempt_{number} = {number};\n```\n"
                f"```json path=hypothesis.json\n{json.dumps(HYPOTHESIS)}\n```\n")


class AgentsAskModelsTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 1)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        self.server.asked = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def address(self):
        return f"http:http://127.0.0.1:{self.server.server_address[1]}/v1"

    def campaign(self, *options, code=0, **extra):
        return self.assay("campaign", "run", "night", "--dataset", self.small, "--archive", self.archive,
                          "--device", "simulated:7", "--policy", self.policy(stress_trials=0), "--per-round", "1", *options, code=code,
                          no_proxy="127.0.0.1", **extra)

    def status(self):
        return self.assay("campaign", "status", "night", "--archive", self.archive, "--json").json()

    def test_a_model_proposes_by_the_files_in_its_answer(self):
        self.server.answers = [(200, edit)]
        self.campaign("--agent", self.address(), "--model", "played", "--rounds", "2", ASSAY_HTTP_KEY="hush-7")
        status = self.status()
        self.assertEqual(status["phase"], "finished")
        self.assertEqual([candidate["name"] for candidate in status["candidates"]], ["night-run-1", "night-run-2"])
        for candidate in status["candidates"]:
            self.assertIn(candidate["outcome"], ["better", "not_better", "indistinguishable", "duplicate"])
        self.assertEqual(status["agent"]["ledger"]["tokens"]["spent"], 2 * 1280)
        path, key, question = self.server.asked[0]
        self.assertEqual((path, key, question["model"]), ("/v1/chat/completions", "Bearer hush-7", "played"))
        hypothesis = status["memory"]["hypotheses"][0]
        self.assertEqual(hypothesis["stated"]["claimed"], "status: supported")
        self.assertNotEqual(hypothesis["status"], "supported")
        self.assertEqual(hypothesis["test"]["evaluation"], status["candidates"][0]["gate_evaluation"])
        for path in self.archive.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"hush-7", path.read_bytes(), path)

    def test_a_service_without_credit_is_the_environments_and_resumes(self):
        self.server.answers = [(429, {"error": {"message": "You exceeded your current quota"}})]
        finished = self.campaign("--agent", self.address(), "--model", "played", "--rounds", "1", code=3)
        self.assertIn("add credit", finished.err)
        self.assertEqual(len(self.server.asked), 1)
        self.server.answers = [(200, edit)]
        self.assay("campaign", "resume", "night", "--archive", self.archive, no_proxy="127.0.0.1")
        self.assertEqual(len(self.status()["candidates"]), 1)

    def test_answers_that_are_none_are_paid_and_change_nothing(self):
        self.server.answers = [(200, "<html>"), (200, says("It is 10x faster now. Outcome: better.")),
                               (200, says("```cpp path=../../x.cpp\nint x;\n```\n")), (200, says("", "content_filter"))]
        self.campaign("--agent", self.address(), "--model", "played", "--rounds", "4")
        status = self.status()
        self.assertEqual(status["agent"]["outcomes"], ["failed", "failed", "failed", "refused"])
        self.assertEqual({candidate["outcome"] for candidate in status["candidates"]}, {"duplicate"})
        self.assertIsNone(status["incumbent"])

    def test_each_of_several_agents_is_tried_and_the_choice_is_in_the_journal(self):
        programs = []
        for name in ("one", "two"):
            program = self.write(f"bin/{name}", "#!/bin/sh\nfor source in candidate/*; do\n"
                                 f"echo \"extern const int {name}_$(grep -c number state.json); "
                                 f"const int {name}_$(grep -c number state.json) = 1;\" >> $source\ndone\n")
            program.chmod(0o755)
            programs.append(f"command:{program}")
        finished = self.campaign("--agent", programs[0], "--agent", programs[1], "--rounds", "4")
        status = self.status()
        self.assertEqual(set(status["agent"]["arms"]), set(programs))
        self.assertEqual(sum(status["agent"]["arms"].values()), 4)
        self.assertTrue(all(runs >= 1 for runs in status["agent"]["arms"].values()))
        self.assertIn("has the next run", finished.err + finished.out)
        twice = self.campaign("--agent", programs[0], "--agent", programs[0], "--rounds", "1", code=2)
        self.assertIn("there twice", twice.err)

    def test_what_is_wrong_is_told_before_anything_is_measured(self):
        self.assertIn("--agent-model", self.campaign("--agent", self.address(), code=2).err)
        self.assertIn("http:https://example.com/v1", self.campaign("--agent", "http:host", "--model", "m", code=2).err)
        self.assertIn("no solution", self.campaign("--agent", "command:true", "--language", "triton", code=2).err)
        self.assertFalse(self.archive.exists())


if __name__ == "__main__":
    scenario.main()
