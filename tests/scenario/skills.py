"""Skills: what a person does with them, and that the commands in ours do what they say, on a small case on the CPU."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import assay_scenario as scenario

SKILLS = scenario.REPOSITORY / "skills"
# What only a GPU can do, and what needs another machine's files or a person at a certain moment.
NOT_HERE = re.compile(r"cuda|\.cu\b")
RUN_AT_LEAST = 25


def commands(text):
    """Command lines of `assay` in fenced blocks for a shell, as lists of words without the program."""
    found = []
    for block in re.findall(r"^```(?:sh|bash|shell|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] == "assay":
                found.append(words[1:])
    return found


class SkillsTest(scenario.Scenario):
    def test_list_lint_and_install(self):
        listed = self.assay("skills", "list", "--json").json()
        names = sorted(path.parent.name for path in SKILLS.glob("*/SKILL.md"))
        self.assertEqual([skill["name"] for skill in listed], names)
        self.assertTrue(all(skill["sound"] for skill in listed))
        self.assertIn("all sound", self.assay("skills", "lint", "--root", scenario.REPOSITORY).out)

        tree = self.folder / "tree"
        tree.mkdir()
        finished = self.assay("skills", "install", tree)
        self.assertIn(f"{2 * len(names)} added", finished.out)
        for place in (".agents", ".claude"):
            for name in names:
                for file in (SKILLS / name).rglob("*.md"):
                    copy = tree / place / "skills" / name / file.relative_to(SKILLS / name)
                    self.assertEqual(copy.read_text(), file.read_text())
        self.assertIn(f"{2 * len(names)} unchanged", self.assay("skills", "install", tree).out)
        self.assertIn("all sound", self.assay("skills", "lint", tree / ".claude" / "skills").out)

    def test_edited_skills_are_kept_unless_they_are_to_be_overwritten(self):
        self.assay("skills", "install", self.folder, "--skill", "assay-hopper", "assay-promotion")
        edited = self.folder / ".claude" / "skills" / "assay-hopper" / "SKILL.md"
        edited.write_text("mine")
        refused = self.assay("skills", "install", self.folder, code=2)
        self.assertIn(".claude/skills/assay-hopper: SKILL.md was edited", refused.err)
        self.assertFalse((self.folder / ".claude" / "skills" / "assay-gdn-decode").exists(), "nothing was installed")
        answer = self.assay("skills", "install", self.folder, "--force", "--json").json()
        self.assertEqual([one["skill"] for one in answer["installed"] if one["what"] == "overwritten"], ["assay-hopper"])
        self.assertEqual(edited.read_text(), (SKILLS / "assay-hopper" / "SKILL.md").read_text())

    def test_what_is_wrong_is_named_with_its_place_and_remedy(self):
        self.write("mine/SKILL.md", "---\nname: my-skill\ndescription: Does it.\nlicence: x\n---\n"
                                    "[gone](gone.md)\n\n```sh\nassay evaluate k.cpp --polcy quick\n```\n")
        finished = self.assay("skills", "lint", "mine", code=1)
        for part in ("mine/SKILL.md:2: /name: must be the folder's name", "mine/SKILL.md:3: /description: does not say when",
                     "mine/SKILL.md:4: /licence: is no field of the format: did you mean license?",
                     "mine/SKILL.md:6: links to gone.md", "mine/SKILL.md:9: this program refuses", "5 problems"):
            self.assertIn(part, finished.out)
        problems = self.assay("skills", "lint", "mine", "--json", code=1).json()["skills"][0]["problems"]
        self.assertEqual([problem["line"] for problem in problems], [2, 3, 4, 6, 9])
        self.assertIn("mine/SKILL.md:2", self.assay("skills", "install", self.folder, "--from", "mine", code=2).err)
        (self.folder / "empty").mkdir()
        self.assertIn("holds no skill", self.assay("skills", "lint", "empty", code=2).err)

    def test_without_skills_it_says_where_they_were_looked_for(self):
        self.assertIn("nowhere", self.assay("skills", "list", code=2, ASSAY_SKILLS=self.folder / "nowhere").err)
        installed = self.folder / "a" / "b" / "prefix"
        (installed / "bin").mkdir(parents=True)
        shutil.copy(scenario.PROGRAMS / "assay", installed / "bin")

        def listed():
            return subprocess.run([installed / "bin" / "assay", "skills", "list"], cwd=self.folder, text=True,
                                  env=scenario.environment(), capture_output=True, timeout=60)

        without = listed()
        self.assertEqual(without.returncode, 2, without)
        self.assertIn(f"{installed}/share/assay/skills", without.stderr)
        shutil.copytree(SKILLS, installed / "share" / "assay" / "skills")
        self.assertEqual(listed().returncode, 0)


class CommandsOfOurSkillsTest(scenario.Scenario):
    """Runs what the skills tell an agent to run, in one folder, in their order, where no GPU is needed."""

    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 4)
        for name in ("examples", "policies", "datasets", "docs"):
            (self.folder / name).symlink_to(scenario.REPOSITORY / name)
        (self.folder / "traces").symlink_to(scenario.REPOSITORY / "tests" / "data" / "traces")
        shutil.copy(scenario.EXAMPLES / "tunable.cpp", self.folder / "kernel.cpp")
        solution = next(self.small.glob(f"solutions/assay/*/*/{scenario.TUNABLE}.json"))
        shutil.copy(solution, self.folder / "solution.json")
        self.environment = {"ASSAY_ARCHIVE": self.archive, "ASSAY_DATASET": self.small}
        first = self.run_words(["evaluate", "kernel.cpp", "--json"]).json()["evaluation"]
        self.names = {"e-2026": first["id"], "3fa2c1d0": first["candidate"]["content"][:12]}

    def run_words(self, words, code=0):
        return self.assay(*words, code=code, **self.environment)

    def prepared(self, words):
        """The command on this case: real names for the examples' ones, fewer rounds and trials, a simulated clock."""
        if "--policy" in words and words[0] != "policy":
            name = words[words.index("--policy") + 1]
            self.assertTrue("/" not in name or (self.folder / name).exists(), name)
            words = [str(self.eased(Path(name).stem)) if word == name else word for word in words]
        words = [self.names.get(word, word) for word in words]
        if "--trials" in words:
            words[words.index("--trials") + 1] = "60"
        if words[:2] == ["campaign", "run"]:
            if "--rounds" in words:
                at = words.index("--rounds")
                del words[at:at + 2]
            words += ["--rounds", "1", "--per-round", "2", "--device", "simulated:7"]
            words += [] if "--policy" in words else ["--policy", str(self.eased("quick"))]
        return words

    def expected_code(self, words):
        return 1 if any("/bad/" in word for word in words) else 0

    def dataset_for(self, words):
        """Definitions other than GDN decode have no small case under their own name: their gate is of the contest's."""
        others = any(word.startswith(("gdn_prefill_", "dsa_", "moe_")) for word in words)
        return scenario.DATASET if others else self.small

    def test_each_command_that_needs_no_gpu_does_what_it_says(self):
        files = [SKILLS / "assay-kernel-optimizer" / "SKILL.md"]
        files += [file for file in sorted(SKILLS.glob("*/**/*.md")) if file not in files]
        run, seen = [], set()
        for file in files:
            for words in commands(file.read_text()):
                if any(NOT_HERE.search(word) for word in words) or words in run or "YOUR" in " ".join(words):
                    continue
                seen.add(file.parent.name if file.name == "SKILL.md" else file.parent.parent.name)
                run.append(words)
                with self.subTest(file=str(file.relative_to(SKILLS)), command=" ".join(words)):
                    self.run_one(words)
        self.assertGreaterEqual(len(run), RUN_AT_LEAST)
        self.assertGreaterEqual(len(seen), 10, seen)

    def run_one(self, words):
        if words[0] == "approve" and not self.waits(words[1]):
            self.run_words(self.prepared(words), code=2)  # Nothing to approve, which it says.
            return
        self.environment["ASSAY_DATASET"] = self.dataset_for(words)
        finished = self.run_words(self.prepared(words), code=self.expected_code(words))
        # A compiler that has nothing to complain about leaves an empty log.
        self.assertTrue(finished.out.strip() or "--log" in words, finished)
        if "--json" in words:
            finished.json()

    def waits(self, campaign):
        return self.run_words(["campaign", "status", campaign, "--json"]).json()["awaiting"] is not None


if __name__ == "__main__":
    scenario.main()
