"""Solutions in the form of flashinfer-bench's, bound by tvm-ffi, judged on the CPU from source to verdict."""

import json
import unittest

import assay_scenario as scenario

SOURCE = scenario.REPOSITORY / "tests" / "data" / "tvm_ffi_gdn_decode.cpp"
PLANTED = "  // planted\n"
# All that is planted, by the batch size that shows it, and a second entry point: TVM-FFI's headers take a compiler seconds.
DEFECTS = """
  if (state.size(0) == 1) {
    TVM_FFI_THROW(ValueError) << "batch of " << state.size(0) << " refused";
  }
  if (state.size(0) == 4) {
    throw std::runtime_error("no such plan");
  }
"""
ONE_PARAMETER_LESS = """
void decode_less(tvm::ffi::TensorView q, tvm::ffi::TensorView k, tvm::ffi::TensorView v, tvm::ffi::TensorView state,
                 tvm::ffi::TensorView a_log, tvm::ffi::TensorView a, tvm::ffi::TensorView dt_bias, tvm::ffi::TensorView b,
                 double scale, tvm::ffi::TensorView new_state) {}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fewer, decode_less);
"""


@unittest.skipUnless((scenario.PROGRAMS / "libtvm_ffi.so").exists(),
                     "libtvm_ffi.so is not beside the programs: ./dev setup, then configure again")
class TvmFfiTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.common = ["--dataset", self.dataset(1, 4), "--archive", self.archive, "--policy", self.policy(stress_trials=0)]

    def solution(self, source, path="decode.cpp", **spec):
        """Writes a solution as flashinfer-bench has them; `spec` replaces fields of its spec, None leaves one out."""
        document = {
            "name": "with_tvm_ffi", "definition": scenario.DEFINITION, "author": "them", "description": "",
            "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "decode.cpp::run", "dependencies": [],
                     "destination_passing_style": True, "binding": "tvm-ffi"},
            "sources": [{"path": path, "content": source}],
        }
        document["spec"].update(spec)
        document["spec"] = {key: value for key, value in document["spec"].items() if value is not None}
        return self.write("solution.json", json.dumps(document))

    def evaluate(self, path, code=0):
        return self.assay("evaluate", path, *self.common, "--json", code=code)

    def defective(self, size, **spec):
        """Judges the source with all defects on a workload of this batch size alone: its outcome."""
        source = SOURCE.read_text()
        for old, new in ((PLANTED, DEFECTS), ("factor * sum)", "factor)")):
            self.assertEqual(source.count(old), 1)
            source = source.replace(old, new)
        dataset = scenario.small_dataset(self.folder / f"of-{size}", (size,))
        return self.assay("evaluate", self.solution(source + ONE_PARAMETER_LESS, **spec), "--dataset", dataset,
                          *self.common[2:], "--json", code=1).json()["evaluation"]

    def assert_correct(self, finished):
        answer = finished.json()
        self.assertTrue(answer["correct"], answer)
        self.assertGreater(answer["evaluation"]["checked_calls"], 0)

    def failure(self, size, **spec):
        evaluation = self.defective(size, **spec)
        self.assertEqual(evaluation["outcome"], "crashed", evaluation)
        return evaluation["findings"][0]

    def test_a_solution_runs_unchanged(self):
        self.assert_correct(self.evaluate(self.solution(SOURCE.read_text())))

    def test_without_a_binding_its_headers_say_which(self):
        # Of the same names as the bare source has, and built once with it.
        self.assert_correct(self.evaluate(self.solution(SOURCE.read_text(), "kernel.cpp", binding=None,
                                                        entry_point="kernel.cpp::run")))

    def test_the_bare_source_too(self):
        self.assert_correct(self.evaluate(SOURCE))

    def test_our_own_entry_point_goes_first(self):
        own = (scenario.EXAMPLES / "plain.cpp").read_text()
        self.assert_correct(self.evaluate(self.solution(own, binding="tvm-ffi")))

    def test_what_is_wrong_is_found_as_in_any_other(self):
        evaluation = self.defective(8)
        self.assertEqual(evaluation["outcome"], "incorrect")
        self.assertEqual(evaluation["findings"][0]["tensor"], "output")

    def test_a_wrong_number_of_parameters_is_said(self):
        finding = self.failure(8, entry_point="decode.cpp::fewer")
        self.assertEqual(finding["kind"], "raised")
        self.assertRegex(finding["message"], r"TypeError: .*arguments.*10.*11")

    def test_a_raised_error_brings_its_words(self):
        finding = self.failure(1)
        self.assertEqual(finding["kind"], "raised")
        self.assertRegex(finding["message"], r"ValueError: batch of 1 refused")

    def test_so_does_a_standard_exception(self):
        finding = self.failure(4)
        self.assertIn("no such plan", finding["message"])

    def test_an_entry_point_that_is_not_there(self):
        # What TVM-FFI's macro would export, without its headers.
        source = 'extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run() { return 0; }\n'
        evaluation = self.evaluate(self.solution(source, entry_point="decode.cpp::other"), code=1).json()["evaluation"]
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
