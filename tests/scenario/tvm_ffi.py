"""Solutions in the form of flashinfer-bench's, bound by tvm-ffi, judged on the CPU from source to verdict."""

import json
import unittest

import assay_scenario as scenario

SOURCE = scenario.REPOSITORY / "tests" / "data" / "tvm_ffi_gdn_decode.cpp"
PLANTED = "  // planted\n"


@unittest.skipUnless((scenario.PROGRAMS / "libtvm_ffi.so").exists(),
                     "libtvm_ffi.so is not beside the programs: ./dev setup, then configure again")
class TvmFfiTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.common = ["--dataset", self.dataset(1, 4), "--archive", self.archive, "--policy", self.policy(stress_trials=0)]

    def solution(self, source, **spec):
        """Writes a solution as flashinfer-bench has them; `spec` replaces fields of its spec, None leaves one out."""
        document = {
            "name": "with_tvm_ffi", "definition": scenario.DEFINITION, "author": "them", "description": "",
            "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "decode.cpp::run", "dependencies": [],
                     "destination_passing_style": True, "binding": "tvm-ffi"},
            "sources": [{"path": "decode.cpp", "content": source}],
        }
        document["spec"].update(spec)
        document["spec"] = {key: value for key, value in document["spec"].items() if value is not None}
        return self.write("solution.json", json.dumps(document))

    def evaluate(self, path, code=0):
        return self.assay("evaluate", path, *self.common, "--json", code=code)

    def planted(self, line):
        source = SOURCE.read_text()
        self.assertIn(PLANTED, source)
        return source.replace(PLANTED, line + "\n", 1)

    def assert_correct(self, finished):
        answer = finished.json()
        self.assertTrue(answer["correct"], answer)
        self.assertGreater(answer["evaluation"]["checked_calls"], 0)

    def failure(self, source):
        evaluation = self.evaluate(self.solution(source), code=1).json()["evaluation"]
        self.assertEqual(evaluation["outcome"], "crashed", evaluation)
        return evaluation["findings"][0]

    def test_a_solution_runs_unchanged(self):
        self.assert_correct(self.evaluate(self.solution(SOURCE.read_text())))

    def test_without_a_binding_its_headers_say_which(self):
        self.assert_correct(self.evaluate(self.solution(SOURCE.read_text(), binding=None)))

    def test_the_bare_source_too(self):
        self.assert_correct(self.evaluate(SOURCE))

    def test_our_own_entry_point_goes_first(self):
        own = (scenario.EXAMPLES / "plain.cpp").read_text()
        self.assert_correct(self.evaluate(self.solution(own, binding="tvm-ffi")))

    def test_what_is_wrong_is_found_as_in_any_other(self):
        wrong = SOURCE.read_text().replace("factor * sum)", "factor)", 1)
        evaluation = self.evaluate(self.solution(wrong), code=1).json()["evaluation"]
        self.assertEqual(evaluation["outcome"], "incorrect")
        self.assertEqual(evaluation["findings"][0]["tensor"], "output")

    def test_a_wrong_number_of_parameters_is_said(self):
        short = SOURCE.read_text().replace("TensorView output, TensorView new_state)", "TensorView new_state)", 1)
        finding = self.failure(short.replace("data<uint16_t>(output)", "data<uint16_t>(new_state)"))
        self.assertEqual(finding["kind"], "raised")
        self.assertRegex(finding["message"], r"TypeError: .*arguments.*10.*11")

    def test_a_raised_error_brings_its_words(self):
        finding = self.failure(self.planted('  TVM_FFI_THROW(ValueError) << "batch of " << state.size(0) << " refused";'))
        self.assertEqual(finding["kind"], "raised")
        self.assertRegex(finding["message"], r"ValueError: batch of \d+ refused")

    def test_so_does_a_standard_exception(self):
        finding = self.failure(self.planted('  throw std::runtime_error("no such plan");'))
        self.assertIn("no such plan", finding["message"])

    def test_an_entry_point_that_is_not_there(self):
        evaluation = self.evaluate(self.solution(SOURCE.read_text(), entry_point="decode.cpp::other"),
                                   code=1).json()["evaluation"]
        self.assertEqual(evaluation["outcome"], "not_built")
        self.assertIn("__tvm_ffi_other", evaluation["cause"])

    def test_what_returns_its_results_is_refused(self):
        finished = self.evaluate(self.solution(SOURCE.read_text(), destination_passing_style=False), code=2)
        self.assertIn("/spec/destination_passing_style", finished.err)

    def test_torch_is_refused(self):
        finished = self.evaluate(self.solution(SOURCE.read_text(), binding="torch"), code=2)
        self.assertIn("/spec/binding", finished.err)


if __name__ == "__main__":
    scenario.main()
