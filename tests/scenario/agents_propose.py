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
        self.small = self.dataset(1, 1)

    def program(self, name, text):
        path = self.write(f"bin/{name}", text)
        path.chmod(0o755)
        return path

    def campaign(self, agent, *options, code=0, **extra):
        return self.assay("campaign", "run", "night", "--dataset", self.small, "--archive", self.archive, "--agent", agent,
                          "--device", "simulated:7", "--policy", self.policy(stress_trials=0),
                          *(() if "--per-round" in options else ("--per-round", "1")), *options,
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

    def test_whatever_an_agent_leaves_its_campaign_goes_on(self):
        """Each is ignored and named, or no proposal, and the journal says why."""
        odd = [("echo done > candidate/notes.txt", "ignored, for no build takes it: notes.txt"),
               ("mkdir -p candidate/build/a/b/c/d/e; echo x > candidate/build/object.o", "build/object.o"),
               ("ln -s /etc/passwd candidate/passwd; mkfifo candidate/pipe", "passwd, pipe"),
               ("touch \"$(printf 'candidate/two\\nlines')\"; touch \"$(printf 'candidate/\\377')\"", "two lines"),
               ("head -c 9000000 /dev/zero > candidate/huge.bin", "huge.bin"),
               ("ln -s /etc/passwd candidate/more.hpp", "no candidate is left: more.hpp cannot be read: is it a link?"),
               ("mkfifo candidate/more.hpp", "no candidate is left: more.hpp is no regular file"),
               ("printf '// \\377' > candidate/more.hpp", "no candidate is left: \"more.hpp\" is not UTF-8"),
               ("head -c 9000000 /dev/zero > candidate/more.hpp", "no candidate is left: more than 64 files or 4.0 MiB"),
               ("for i in $(seq 99); do echo > candidate/h$i.hpp; done", "no candidate is left: more than 64 files"),
               ("rm -rf candidate", "no candidate is left: no file is left"),
               ("rm -rf candidate; ln -s /etc candidate", "no candidate is left: no file is left")]
        # Each is an agent of its own, so that each has a run of the one round.
        programs = [self.program(f"odd{number}", EDIT + command + "\n") for number, (command, _) in enumerate(odd)]
        others = [word for program in programs[1:] for word in ("--agent", f"command:{program}")]
        self.campaign(f"command:{programs[0]}", *others, "--rounds", "1", "--per-round", str(len(odd)))
        status = self.status()
        self.assertEqual(status["phase"], "finished")
        runs = {run["agent"]: run for run in status["agent"]["sessions"]}
        named = {candidate["name"] for candidate in status["candidates"]}
        for program, (_, said) in zip(programs, odd):
            with self.subTest(left=said):
                run = runs[f"command:{program}"]
                self.assertIn(said, run["cause"])
                self.assertEqual(run["run"] in named, "no candidate" not in said)

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
