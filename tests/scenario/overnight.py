"""docs/overnight.md: each of its commands is one that the program takes, and what needs neither a GPU nor a model is run, in its
order, with played agents on the CPU in place of the night."""

import re
import shlex
import subprocess

import agent_play
import assay_scenario as scenario

PAGE = scenario.REPOSITORY / "docs" / "overnight.md"
HELP = scenario.REPOSITORY / "tests" / "data" / "agent_help"
# By their first words; what else the page runs must be known here.
OTHERS = {"export", "npm", "mkdir", "git", "cd", "./dev", "codex", "claude"}


def command_lines():
    """Lines of the fenced blocks, as words."""
    lines = []
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        lines += [shlex.split(line) for line in block.splitlines() if line.strip()]
    return lines


def options(words):
    return [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]


class OvernightTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 4)
        # On a real clock calls must be so long that a busy machine hides no gain.
        self.long = scenario.small_dataset(self.folder / "long", (8, 16))
        self.slow = agent_play.slow_baseline(self.folder)

    def test_the_program_takes_every_command(self):
        text = PAGE.read_text()
        text = re.sub(r"\]\(([^)]*\.md)\)", "]", text)  # As a skill it may not link out of its folder.
        # Its lines for clients hold commands of ours, too.
        ours = [shlex.join(words[words.index("assay", words.index("--")):]) for words in command_lines()
                if words[0] in ("codex", "claude") and words[1:3] == ["mcp", "add"]]
        self.assertEqual(len(ours), 2)
        text += "\n```sh\n" + "\n".join(ours) + "\n```\n"
        self.write("page/SKILL.md", "---\nname: page\ndescription: Use when the night comes.\n---\n" + text)
        self.assertIn("all sound", self.assay("skills", "lint", "page").out)

    def test_other_programs_have_the_options_that_are_named(self):
        usage = subprocess.run([scenario.REPOSITORY / "dev", "--help"], text=True, capture_output=True, check=True).stdout
        checked = 0
        for words in command_lines():
            with self.subTest(command=shlex.join(words)):
                if words[0] == "assay":
                    continue
                self.assertIn(words[0], OTHERS)
                if words[0] == "./dev":
                    self.assertRegex(usage, rf"(?m)^  {words[1]}\b")
                if words[0] in ("codex", "claude") and words[1:] != ["--version"]:
                    name = "_".join([words[0], *(["mcp", "add"] if words[1] == "mcp" else words[1:2]
                                                 if words[1] == "exec" else [])])
                    known = (HELP / f"{name}.txt").read_text()
                    own = words[:words.index("--")] if "--" in words else words
                    for option in options(own):
                        self.assertRegex(known, rf"(?m)(^|[\s,]){re.escape(option)}\b")
                        checked += 1
        self.assertGreater(checked, 8)

    def test_the_commands_do_what_the_page_says(self):
        environment = self.played_agents()
        for name in ("datasets", "policies", "tests"):
            (self.folder / name).symlink_to(scenario.REPOSITORY / name)
        ran = []
        for words in command_lines():
            if words[0] == "assay" and self.needs_a_running_campaign(words[1:]):
                # Here the night is over; that the words are taken, and why it is too late for them, is what can be seen.
                with self.subTest(command=shlex.join(words)):
                    self.assertIn("night-claude", self.run_words(words[1:], environment, code=2))
            elif words[0] == "assay":
                with self.subTest(command=shlex.join(words)):
                    self.run_words(words[1:], environment)
                    ran.append(words[1])
            elif words[0] == "claude" and words[1:3] == ["mcp", "add"]:
                self.desk(words[words.index("assay", words.index("--")):], environment)
            elif words[0] == "mkdir":
                (self.folder / words[-1]).mkdir()
        self.assertGreaterEqual(len(ran), 18)
        status = self.assay("campaign", "status", "night-claude", "--json", **environment).json()
        self.assertIsNotNone(status["incumbent"])
        self.assertEqual(status["confirmation"]["verdict"], "promote")
        for left in ("rehearsal.html", "night.html", "night-proof/certificate.json", "night-solution"):
            self.assertTrue((self.folder / left).exists(), left)

    def played_agents(self):
        """Both programs, which leave a faster kernel and say what was recorded."""
        for agent, stream in (("codex", "tools2"), ("claude", "bare")):
            agent_play.carrying(self.folder / "bin" / agent, "copy faster candidate/kernel.cpp\nreplay stream\n",
                                stream=agent_play.stream(agent, stream), faster=agent_play.FASTER.read_bytes())
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "ASSAY_ARCHIVE": self.folder / ".assay",
                "ASSAY_DATASET": self.long}

    def prepared(self, words):
        """The command on this case: the CPU in place of the GPU, one cheat, quick decisions, one run."""
        words = [word.replace("$PWD/datasets/contest", str(self.long)).replace("$PWD", str(self.folder))
                 .replace("cuda:0", "cpu").replace("plain_cuda", "plain_cpu") for word in words]
        if "--only" in words:
            words[words.index("--only") + 1] = "identity-memo"
        for option, value in (("--rounds", "1"), ("--per-round", "2"), ("--submissions", "2")):
            if option in words and "rehearsal" not in words:
                words[words.index(option) + 1] = value if option != "--per-round" else "1"
        if "--policy" in words:
            words[words.index("--policy") + 1] = str(self.eased("quick"))
            if "rehearsal" not in words:
                words += ["--baseline", str(self.slow)]
        return words

    @staticmethod
    def needs_a_running_campaign(words):
        return words[0] == "steer" or words[:2] == ["inbox", "answer"] or (words[:2] == ["campaign", "resume"]
                                                                           and "--by" in words)

    def run_words(self, words, environment, code=0):
        if words[0] == "doctor":  # It says what is wrong with this machine; that something is, is no matter here.
            code = None
        if words[0] in ("check-definition", "evaluate") or "rehearsal" in words:
            environment = environment | {"ASSAY_DATASET": self.small}
        command = [str(scenario.PROGRAMS / "assay"), *self.prepared(words)]
        finished = subprocess.run(command, cwd=self.folder, text=True, capture_output=True, timeout=self.TIMEOUT,
                                  env=scenario.environment(ASSAY_BUILD_CACHE=self.shared_cache, **environment))
        if code is not None:
            self.assertEqual(finished.returncode, code, finished.stdout + finished.stderr)
        return finished.stderr

    def desk(self, words, environment):
        """The server as the page has a client start it; a recorded client lists its tools and submits."""
        made = " ".join([str(scenario.PROGRAMS / "assay"), *self.prepared(words[1:])])
        script = (f"begin {agent_play.DIALOGUES / 'claude_mcp_dual.log'} {made}\n"
                  'call submit_candidate {"sources":[{"path":"kernel.cpp","content":${%s}}]}\nleave\n' % agent_play.FASTER)
        subprocess.run([agent_play.FAKE_AGENT], check=True, timeout=self.TIMEOUT, cwd=self.folder, capture_output=True,
                       env=scenario.environment(FAKE_AGENT=script, ASSAY_BUILD_CACHE=self.shared_cache, **environment))


if __name__ == "__main__":
    scenario.main()
