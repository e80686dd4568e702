"""Bad input is refused with the place and the remedy; it is never taken for something else."""

import json

import assay_scenario as scenario


class ValidateTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.definition = scenario.DATASET / "definitions" / "gdn" / f"{scenario.DEFINITION}.json"
        self.workloads = scenario.DATASET / "workloads" / "gdn" / f"{scenario.DEFINITION}.jsonl"

    def refused(self, kind, text):
        path = self.write("document.json", text)
        answer = self.assay("validate", "--kind", kind, path, "--json", code=2).json()
        self.assertFalse(answer["accept"])
        self.assertIsNone(answer["normalized"])
        self.assertTrue(answer["errors"])
        self.assay("validate", "--kind", kind, path, code=2)
        return answer["errors"]

    def test_the_shipped_dataset_is_accepted(self):
        answer = self.assay("validate", "--kind", "definition", self.definition, "--json").json()
        self.assertTrue(answer["accept"])
        self.assertEqual(answer["errors"], [])
        self.assertEqual(answer["normalized"]["name"], scenario.DEFINITION)
        workloads = self.assay("validate", "--kind", "workload", self.workloads, "--json").json()
        self.assertEqual(len(workloads["normalized"]), 54)
        for solution in (scenario.DATASET / "solutions").rglob("*.json"):
            self.assay("validate", "--kind", "solution", solution)

    def test_standard_input(self):
        answer = self.assay("validate", "--kind", "definition", "-", "--json", stdin=self.definition.read_text())
        self.assertTrue(answer.json()["accept"])

    def test_truncated_json(self):
        errors = self.refused("definition", self.definition.read_text()[:300])
        self.assertEqual(errors[0]["pointer"], "")

    def test_wrong_dtype(self):
        document = json.loads(self.definition.read_text())
        document["inputs"]["q"]["dtype"] = "bfloat17"
        errors = self.refused("definition", json.dumps(document))
        self.assertEqual(errors[0]["pointer"], "/inputs/q/dtype")
        self.assertIn("bfloat17", errors[0]["message"])

    def test_unknown_axis(self):
        document = json.loads(self.definition.read_text())
        document["inputs"]["q"]["shape"][0] = "no_such_axis"
        errors = self.refused("definition", json.dumps(document))
        self.assertIn("/inputs/q/shape", errors[0]["pointer"])
        self.assertIn("no_such_axis", errors[0]["message"])

    def test_source_that_climbs_out(self):
        solution = next((scenario.DATASET / "solutions" / "baseline").rglob("*.json"))
        document = json.loads(solution.read_text())
        document["sources"][0]["path"] = "../kernel.cpp"
        document["spec"]["entry_point"] = "../kernel.cpp::run"
        errors = self.refused("solution", json.dumps(document))
        self.assertTrue(any("/sources/0/path" in error["pointer"] for error in errors), errors)

    def test_nonsense(self):
        for text in ["", "null", "[]", "3", '{"name": 3}', "\x00", '{"a":' * 500]:
            with self.subTest(text=text[:20]):
                self.refused("definition", text)

    def test_a_file_that_does_not_exist(self):
        finished = self.assay("validate", "--kind", "trace", "nowhere.json", code=2)
        self.assertIn("nowhere.json", finished.err)


class RequestTest(scenario.Scenario):
    """Requests that cannot be carried out leave no archive behind."""

    def refused(self, *arguments):
        finished = self.assay(*arguments, "--archive", self.archive, code=2)
        self.assertEqual(finished.out, "")
        self.assertFalse(self.archive.exists(), "a bad request made an archive")
        return finished.err

    def test_a_dataset_that_does_not_exist_is_an_error(self):
        kernel = scenario.EXAMPLES / "plain.cpp"
        self.assertIn("no-such-dataset", self.refused("evaluate", kernel, "--dataset", "no-such-dataset"))
        self.assertIn("no-such-dataset", self.refused("campaign", "run", "x", "--tunable", scenario.TUNABLE,
                                                      "--dataset", "no-such-dataset"))
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn(str(empty), self.refused("evaluate", kernel, "--dataset", empty))

    def test_a_missing_entry_point(self):
        kernel = self.write("kernel.cpp", "#include <assay/candidate.h>\nint run() { return 0; }\n")
        error = self.refused("evaluate", kernel, "--dataset", scenario.DATASET, "--definition", scenario.DEFINITION)
        self.assertIn("ASSAY_KERNEL", error)
        self.assertIn("kernel.cpp", error)

    def test_a_source_that_climbs_out(self):
        solution = next((scenario.DATASET / "solutions" / "baseline").rglob("*.json"))
        document = json.loads(solution.read_text())
        document["sources"].append({"path": "include/../../x.h", "content": "int x;"})
        path = self.write("climber.json", json.dumps(document))
        error = self.refused("evaluate", path, "--dataset", scenario.DATASET, "--definition", scenario.DEFINITION)
        self.assertIn("climber.json", error)
        self.assertIn("/sources/1/path", error)

    def test_unknown_names_get_suggestions(self):
        kernel = scenario.EXAMPLES / "plain.cpp"
        refused = self.refused("evaluate", kernel, "--definition", "gdn_decode", "--dataset", scenario.DATASET)
        self.assertIn(scenario.DEFINITION, refused)
        dataset = ["--dataset", scenario.DATASET, "--definition", scenario.DEFINITION]
        self.assertIn(scenario.BASELINE, self.refused("evaluate", "gdn_decode_plain_cup", *dataset))
        self.assertIn("quick, standard", self.refused("evaluate", kernel, "--policy", "quik", *dataset))
        self.assertIn("simulated", self.refused("evaluate", kernel, "--device", "gpu", *dataset))
        self.assertIn("54 workloads", self.refused("evaluate", kernel, "--workloads", "none-such", *dataset))
        self.assertIn("no-file.cpp", self.refused("evaluate", "no-file.cpp", *dataset))

    def test_an_unknown_field_of_a_policy(self):
        policy = self.write("policy.toml", "version = 1\n[gate]\nminimum_pears = 3\n")
        error = self.refused("evaluate", scenario.EXAMPLES / "plain.cpp", "--policy", policy, "--dataset",
                             scenario.DATASET, "--definition", scenario.DEFINITION)
        self.assertIn("minimum_pears", error)
        self.assertIn("policy.toml", error)

    def test_a_campaign_needs_something_to_try(self):
        self.assertIn("--tunable", self.refused("campaign", "run", "x", "--dataset", scenario.DATASET, "--definition", scenario.DEFINITION))
        self.assertIn("tunable", self.refused("campaign", "run", "x", "--tunable", scenario.BASELINE, "--dataset",
                                              scenario.DATASET, "--definition", scenario.DEFINITION))
        self.assertIn("name", self.refused("campaign", "run", "No/Good", "--tunable", scenario.TUNABLE, "--dataset",
                                           scenario.DATASET, "--definition", scenario.DEFINITION))


if __name__ == "__main__":
    scenario.main()
