"""`assay selftest` on the part of the corpus that takes all that the machine has until it is stopped: as root and then as an
ordinary user, with nothing beside it."""

import assay_scenario as scenario
import judged_corpus


class SelftestAloneTest(judged_corpus.JudgedCorpus):
    part = [path for path, head in judged_corpus.corpus() if judged_corpus.runs_alone(path, head)]

    def test_as_whoever_runs_the_tests(self):
        self.assertGreaterEqual(len(self.part), 4)
        self.as_whoever_runs_the_tests()

    def test_then_as_an_ordinary_user(self):
        self.as_an_ordinary_user()


if __name__ == "__main__":
    scenario.main()
