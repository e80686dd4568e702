"""The same candidate is recognised before anything is built: the build cache stays as it was."""

import assay_scenario as scenario


class DuplicateTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1)
        self.cache = self.folder / "cache"
        self.source = (scenario.EXAMPLES / "bad" / "forgets_beta.cpp").read_text()

    def evaluate(self, kernel, *arguments, code=1):
        return self.assay("evaluate", kernel, "--dataset", self.small, "--archive", self.archive, "--policy",
                          self.policy(stress_trials=0), "--json", *arguments, code=code, ASSAY_BUILD_CACHE=self.cache).json()

    def cache_content(self):
        return {str(path.relative_to(self.cache)): path.stat().st_mtime_ns
                for path in self.cache.rglob("*") if path.is_file()}

    def test_by_bytes(self):
        first = self.evaluate(self.write("first.cpp", self.source))
        before = self.cache_content()
        self.assertTrue(before)
        again = self.evaluate(self.write("renamed.cpp", self.source))
        self.assertEqual(again["origin"], "stored")
        self.assertEqual(again["evaluation"]["id"], first["evaluation"]["id"])
        self.assertEqual(self.cache_content(), before)

    def test_by_an_edited_comment(self):
        first = self.evaluate(self.write("first.cpp", self.source))
        before = self.cache_content()
        edited = self.write("edited.cpp", "/* ten times faster */\n" + self.source.replace(";\n", ";  // note\n"))
        again = self.evaluate(edited)
        self.assertEqual(again["origin"], "stored_same_source")
        self.assertIn("first", again["same_source_as"])
        self.assertEqual(again["evaluation"]["id"], first["evaluation"]["id"])
        self.assertEqual(self.cache_content(), before)
        listed = self.assay("candidates", "--archive", self.archive, "--json").json()
        self.assertEqual({entry["name"] for entry in listed}, {"first", "edited", scenario.BASELINE})

    def test_an_edited_copy_of_the_baseline(self):
        answer = self.evaluate(scenario.EXAMPLES / "bad" / "edited_comment.cpp")
        self.assertEqual(answer["evaluation"]["outcome"], "duplicate")
        self.assertIn(scenario.BASELINE, answer["same_source_as"])
        self.assertFalse(self.cache.exists() and self.cache_content())

    def renamed(self):
        """The candidate under other names: other source, the same machine code."""
        renamed = self.source.replace("predicted", "foreseen").replace("from_bfloat16", "widened")
        self.assertNotEqual(renamed, self.source)
        return renamed

    def test_by_machine_code(self):
        first = self.write("first.cpp", self.source)
        twin = self.write("twin.cpp", self.renamed())
        answer = self.evaluate(twin, "--against", first)
        evaluation = answer["evaluation"]
        self.assertEqual(evaluation["outcome"], "duplicate")
        self.assertEqual(evaluation["findings"][0]["kind"], "same_machine_code")
        self.assertIn("first", evaluation["cause"])
        self.assertEqual(evaluation["candidate_build"]["code"], evaluation["incumbent_build"]["code"])
        self.assertEqual(evaluation["timings"], [])
        self.assertEqual([(same["name"], same["level"]) for same in answer["same_builds"]], [("first", "machine_code")])
        shown = self.assay("show", evaluation["candidate"]["content"], "--archive", self.archive).out
        self.assertIn("the same machine code", shown)

    def test_twins_are_timed_where_that_is_asked_and_neither_is_better(self):
        plain = (scenario.EXAMPLES / "plain.cpp").read_text()
        first = self.write("first.cpp", plain)
        twin = self.write("twin.cpp", plain.replace("predicted", "foreseen"))
        answer = self.evaluate(twin, "--against", first, "--again", code=0)
        evaluation = answer["evaluation"]
        self.assertEqual(evaluation["outcome"], "indistinguishable")
        self.assertEqual(evaluation["findings"][0]["kind"], "self_comparison")
        self.assertIn("A/A", evaluation["cause"])
        self.assertGreaterEqual(evaluation["comparison"]["pairs"], 2)
        self.assertEqual(answer["reported_interval"]["sessions"], 1)

    def test_other_machine_code_is_not_refused(self):
        plain = (scenario.EXAMPLES / "plain.cpp").read_text()
        first = self.write("first.cpp", plain)
        changed = plain.replace("20.0f", "21.0f")
        self.assertNotEqual(changed, plain)
        evaluation = self.evaluate(self.write("other.cpp", changed), "--against", first, code=0)["evaluation"]
        self.assertIn(evaluation["outcome"], ("better", "not_better", "indistinguishable"))
        self.assertNotEqual(evaluation["candidate_build"]["code"], evaluation["incumbent_build"]["code"])

    def test_again_judges_anew_from_the_build_cache(self):
        first = self.evaluate(self.write("first.cpp", self.source))
        before = self.cache_content()
        again = self.evaluate(self.folder / "first.cpp", "--again")
        self.assertEqual(again["origin"], "measured")
        self.assertNotEqual(again["evaluation"]["id"], first["evaluation"]["id"])
        self.assertTrue(again["evaluation"]["candidate_build"]["from_cache"])
        self.assertEqual(set(self.cache_content()), set(before))


if __name__ == "__main__":
    scenario.main()
