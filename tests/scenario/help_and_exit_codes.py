"""Every command explains itself, and exit codes mean what the help says."""

import assay_scenario as scenario

COMMANDS = ["", "doctor", "validate", "evaluate", "compare", "selftest", "campaign", "campaign run", "campaign resume",
            "campaign status", "campaign compare", "candidates", "show", "approve", "report", "replay-journal", "certificate", "verify-certificate",
            "export", "archive", "archive verify", "archive gc", "archive stats", "dataset", "dataset check", "dataset materialise",
            "agent", "agent parse", "skills", "skills list", "skills lint", "skills install", "inbox", "inbox answer", "steer"]


class HelpTest(scenario.Scenario):
    def test_every_command_has_help_with_examples(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                help_text = self.assay(*command.split(), "--help").out
                self.assertIn("Examples:", help_text)
                self.assertIn("assay ", help_text)

    def test_version(self):
        self.assertRegex(self.assay("--version").out, r"^assay \d+\.\d+\.\d+\n$")

    def test_bad_command_lines_end_with_2_and_say_what_is_wrong(self):
        for line in ["", "nonsense", "evaluate", "evaluate k.cpp --nonsense", "validate --kind x y", "campaign",
                     "campaign run", "report x", "archive", "dataset", "certificate x", "verify-certificate", "skills",
                     "skills install"]:
            with self.subTest(line=line):
                finished = self.assay(*line.split(), code=2)
                self.assertEqual(finished.out, "")
                self.assertTrue(finished.err.startswith("assay: "), finished.err)

    def test_without_an_archive_readers_say_how_one_is_made(self):
        for line in ["candidates", "show abcd", "campaign status", "campaign resume x", "approve x",
                     "campaign compare x y", "report x --output r.html", "replay-journal x", "export x --output out", "certificate x --output out",
                     "archive verify", "archive gc", "archive stats", "inbox", "inbox answer x-decision-1 stop --by me",
                     "steer x words --by me"]:
            with self.subTest(line=line):
                finished = self.assay(*line.split(), "--archive", self.archive, code=2)
                self.assertIn(str(self.archive), finished.err)
        self.assertFalse(self.archive.exists())

    def test_errors_are_json_too_if_asked_for(self):
        error = self.assay("candidates", "--archive", self.archive, "--json", code=2).json()["error"]
        self.assertEqual(error["owner"], "input")
        self.assertIn(str(self.archive), error["message"])


class DoctorTest(scenario.Scenario):
    def test_the_machine_that_builds_assay_can_run_it(self):
        report = self.assay("doctor", "--dataset", scenario.DATASET, "--json").json()
        self.assertTrue(report["healthy"])
        states = {entry["name"]: entry["state"] for entry in report["capabilities"]}
        for name in ["assay-judge", "assay-worker", "SQLite", "sealed memory", "disk", "dataset"]:
            self.assertEqual(states[name], "available", name)
        for entry in report["capabilities"]:
            self.assertTrue(entry["state"] == "available" or entry["remedy"], entry)
        self.assertIn("Everything that evaluations on the CPU need is here", self.assay("doctor").out)

    def test_without_a_compiler_it_ends_with_3_and_a_remedy(self):
        finished = self.assay("doctor", code=3, PATH=str(self.folder))
        self.assertIn("apt-get install g++", finished.out)


if __name__ == "__main__":
    scenario.main()
