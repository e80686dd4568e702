"""`assay selftest` on the part of the corpus that needs the machine for itself: cheats that only a clock tells, and those
that take all of what there is. As root and then as an ordinary user."""

import assay_scenario as scenario
import judged_corpus


class SelftestAloneTest(judged_corpus.JudgedCorpus):
    part = [path for path, head in judged_corpus.corpus() if judged_corpus.runs_alone(path, head)]

    def test_as_whoever_runs_the_tests(self):
        self.assertGreaterEqual(len(self.part), 20)
        self.as_whoever_runs_the_tests()

    def test_then_as_an_ordinary_user(self):
        self.as_an_ordinary_user()


if __name__ == "__main__":
    scenario.main()
