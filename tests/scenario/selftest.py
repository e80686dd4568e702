"""`assay selftest` on the corpus: every candidate gets what its file states, as root and then as an ordinary user. What
takes all of the machine is in selftest_alone.py."""

import assay_scenario as scenario
import judged_corpus


class SelftestTest(judged_corpus.JudgedCorpus):
    part = [path for path, head in judged_corpus.corpus() if not judged_corpus.runs_alone(path, head)]

    def test_as_whoever_runs_the_tests(self):
        kinds = [path.parent.name for path in self.part]
        self.assertGreaterEqual(kinds.count("hostile"), 80)
        self.assertGreaterEqual(kinds.count("honest"), 40)
        self.as_whoever_runs_the_tests()

    def test_then_as_an_ordinary_user(self):
        self.as_an_ordinary_user()


class OutputTest(scenario.Scenario):
    def write_candidate(self, name, head):
        return self.write(f"corpus/{name}.cpp", f"// assay-corpus: {head}\n// A test of the self-test.\n"
                                                "#include <assay/candidate.h>\n"
                                                "ASSAY_KERNEL(run) { return call == nullptr; }\n")

    def test_the_table_and_the_exit_code(self):
        self.write_candidate("51-nothing", "number=51 kind=hostile expect=incorrect probe=poison")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus")
        self.assertIn("Judging 1 hostile and 0 honest candidates", finished.err)
        for part in ("entry", "outcome", "expected", "seconds", "sandbox", "51-nothing", "never written",
                     "all as stated"):
            self.assertIn(part, finished.out)
        self.assertFalse((self.folder / ".assay").exists())

    def test_a_disagreement_is_exit_code_1_and_told(self):
        self.write_candidate("wrong", "kind=honest")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus", code=1)
        self.assertIn("1 not as stated", finished.out)
        self.assertIn("honest wrong (run 1, seed ", finished.out)

    def test_a_device_that_is_not_there_is_exit_code_3(self):
        self.write("corpus/51-nothing.cu", "// assay-corpus: number=51 kind=hostile expect=incorrect probe=poison\n"
                                           "// A test of the self-test.\n")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus",
                              "--device", "cuda:255", code=3)
        self.assertIn("environment error", finished.err)
        self.assertEqual(finished.out, "")
        self.assertIn("does not run on cpu",
                      self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus",
                                 code=2).err)

    def test_a_bad_head_names_file_and_remedy(self):
        path = self.write_candidate("bad", "kind=honset")
        finished = self.assay("selftest", "--dataset", scenario.DATASET, "--corpus", self.folder / "corpus", code=2)
        self.assertIn(f"{path}:1: kind=honset must be hostile or honest", finished.err)


if __name__ == "__main__":
    scenario.main()
