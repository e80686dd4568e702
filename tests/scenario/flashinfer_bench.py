"""What Assay writes is read by the real flashinfer-bench: its data models from the package that deps/pip.txt pins, torch
stubbed (the models name it in annotations alone). Skipped, with the reason, where the package could not be installed;
with ASSAY_NO_SKIPS=1 that is a failure."""

import glob
import importlib.machinery
import json
import os
import sys
import types
import unittest
from pathlib import Path

import assay_scenario as scenario

ENVIRONMENT = Path(os.environ.get("ASSAY_PYTHON_ENVIRONMENT", scenario.REPOSITORY / "build" / "python" / "venv"))
CASES = scenario.REPOSITORY / "tests" / "data" / "schema_conformance.jsonl"

# In FlashInfer's own dialect, with nothing that flashinfer-bench could not say but the name of the reference's function.
NEWER = {
    "name": "double_d8",
    "description": "Twice the input.",
    "op_type": "elementwise",
    "tags": ["fi_api:library.double"],
    "axes": {"rows": {"type": "var", "description": "Rows."}, "width": {"type": "const", "value": 8}},
    "constraints": ["rows >= 1"],
    "inputs": {"x": {"shape": ["rows", "width"], "dtype": "bfloat16", "description": "What is doubled."}},
    "outputs": {"y": {"shape": ["rows", "width"], "dtype": "bfloat16"}},
    "reference": "def run(x):\n    return 2 * x\n",
}


def load_package():
    """Returns the module flashinfer_bench.data, or the reason why it cannot be had. The package's own __init__ imports
    torch in earnest and is left out."""
    folders = glob.glob(str(ENVIRONMENT / "lib" / "python3*" / "site-packages"))
    spec = importlib.machinery.PathFinder.find_spec("flashinfer_bench", folders)
    if spec is None:
        return None, f"{ENVIRONMENT} holds no flashinfer-bench: run ./dev setup test"
    sys.path[:0] = folders
    package = types.ModuleType("flashinfer_bench")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["flashinfer_bench"] = package
    for name in ("torch", "safetensors", "safetensors.torch"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["safetensors"].torch = sys.modules["safetensors.torch"]
    try:
        import flashinfer_bench.data as data
    except ImportError as error:
        return None, f"flashinfer-bench in {ENVIRONMENT} cannot be imported by Python {sys.version.split()[0]}: {error}"
    return data, ""


FLASHINFER_BENCH, REASON = load_package()


class FlashinferBench(scenario.Scenario):
    def setUp(self):
        if FLASHINFER_BENCH is None:
            if os.environ.get("ASSAY_NO_SKIPS") == "1":
                self.fail(REASON)
            self.skipTest(REASON)
        super().setUp()

    def normal(self, model):
        return json.loads(model.model_dump_json())

    def evaluated(self, kernel, dataset, code=0):
        answer = self.assay("evaluate", kernel, "--dataset", dataset, "--archive", self.archive, "--policy",
                            self.policy(), "--json", code=code)
        return answer.json()["evaluation"]["candidate"]["content"]

    def exported(self, digest, name):
        folder = self.folder / name
        report = self.assay("export", digest, "--archive", self.archive, "--output", folder, "--json").json()
        return FLASHINFER_BENCH.TraceSet.from_path(str(folder)), folder, report

    def test_an_exported_solution_with_its_traces_is_a_dataset(self):
        dataset = self.dataset(1, 4)
        digest = self.evaluated(scenario.EXAMPLES / "plain.cpp", dataset)
        loaded, folder, report = self.exported(digest, "out")
        self.assertEqual(list(loaded.definitions), [scenario.DEFINITION])
        self.assertEqual(len(loaded.workloads[scenario.DEFINITION]), 2)
        traces = loaded.traces[scenario.DEFINITION]
        self.assertEqual(len(traces), 2)
        for trace in traces:
            self.assertTrue(trace.is_successful())
            self.assertEqual(trace.solution, report["solution"])
            self.assertGreater(trace.evaluation.performance.latency_ms, 0)
            self.assertLess(trace.evaluation.correctness.max_absolute_error, 0.1)
            self.assertGreater(trace.evaluation.correctness.max_absolute_error, 0, "bfloat16 outputs are rounded")
        # Theirs filters by the largest errors: a NaN would drop every trace.
        kept = loaded.filter_traces(scenario.DEFINITION, atol=0.1, rtol=float("inf"))
        self.assertEqual(len(kept), 2)
        self.assertIsNotNone(loaded.get_best_trace(scenario.DEFINITION, max_abs_error=0.1, max_rel_error=1e30))
        # Nothing is lost: what they would write is what we wrote.
        (definition,) = (folder / "definitions").rglob("*.json")
        self.assertEqual(self.normal(loaded.definitions[scenario.DEFINITION]), json.loads(definition.read_text()))
        (lines,) = (folder / "traces").rglob("*.jsonl")
        self.assertEqual([self.normal(trace) for trace in traces],
                         [json.loads(line) for line in lines.read_text().splitlines()])
        (solution,) = (folder / "solutions").rglob("*.json")
        written = json.loads(solution.read_text())
        written.pop("assay", None)
        self.assertEqual(self.normal(loaded.get_solution(report["solution"])), written)

    def test_failures_have_their_statuses(self):
        dataset = self.dataset(1)
        for name, status in (("does_not_compile", "COMPILE_ERROR"), ("forgets_beta", "INCORRECT_NUMERICAL")):
            with self.subTest(kernel=name):
                digest = self.evaluated(scenario.EXAMPLES / "bad" / f"{name}.cpp", dataset, code=1)
                loaded, _, _ = self.exported(digest, name)
                (trace,) = loaded.traces[scenario.DEFINITION]
                self.assertEqual(trace.evaluation.status.value, status)
                if status == "INCORRECT_NUMERICAL":
                    self.assertGreater(trace.evaluation.correctness.max_absolute_error, 0)

    def test_the_datasets_of_the_repository_are_theirs_too(self):
        for root in sorted(path for path in scenario.DATASET.parent.iterdir() if (path / "definitions").is_dir()):
            with self.subTest(dataset=root.name):
                loaded = FLASHINFER_BENCH.TraceSet.from_path(str(root))
                self.assertEqual(len(loaded.definitions), len(list((root / "definitions").rglob("*.json"))))
                for name, definition in loaded.definitions.items():
                    for trace in loaded.workloads[name]:
                        self.assertEqual(sorted(trace.workload.axes), sorted(definition.var_axes))

    def test_both_answer_alike_for_every_recorded_case(self):
        models = {"definition": FLASHINFER_BENCH.Definition, "solution": FLASHINFER_BENCH.Solution,
                  "workload": FLASHINFER_BENCH.Workload, "trace": FLASHINFER_BENCH.Trace}
        cases = [json.loads(line) for line in CASES.read_text().splitlines()]
        for case in cases:
            try:
                normal = self.normal(models[case["kind"]].model_validate_json(json.dumps(case["input"])))
            except ValueError:
                normal = None
            with self.subTest(case=f"{case['kind']}/{case['name']}"):
                self.assertEqual(normal is not None, case["accept"], "the recorded verdict is not this version's")
                if normal is not None:
                    self.assertEqual(normal, case["normalized"])

    def test_a_definition_of_the_newer_dialect_is_written_for_them(self):
        source = self.write("newer.json", json.dumps(NEWER))
        command = ["validate", "--kind", "definition", "--dialect", "flashinfer", "--write-as", "flashinfer-bench",
                   "--json", source]
        written = self.assay(*command).json()["normalized"]
        self.assertEqual(self.normal(FLASHINFER_BENCH.Definition.model_validate(written)), written)

        self.write("newer.json", json.dumps({**NEWER, "reference": "def _double_reference(x):\n    return 2 * x\n"}))
        refused = self.assay(*command, code=2).json()
        self.assertEqual([error["pointer"] for error in refused["errors"]], ["/reference"])
        with self.assertRaises(ValueError):
            FLASHINFER_BENCH.Definition.model_validate(json.loads(source.read_text()))


if __name__ == "__main__":
    if FLASHINFER_BENCH is None:
        print(f"flashinfer-bench: {REASON}")
    scenario.main()
