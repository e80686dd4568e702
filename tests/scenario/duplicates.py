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
                          self.policy(), "--json", *arguments, code=code, ASSAY_BUILD_CACHE=self.cache).json()

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
