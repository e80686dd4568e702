"""`assay evaluate` on definitions of the public dataset: GEMM and RMSNorm, which Assay knows by their structure, and
one that only its reference in Python knows."""

import json
import shutil
import subprocess
import unittest

import assay_scenario as scenario

PUBLIC = scenario.REPOSITORY / "datasets" / "public"
EXAMPLES = scenario.REPOSITORY / "examples" / "public"
PYTHON = "/usr/bin/python3"  # What references get unless ASSAY_PYTHON names another (docs/any-definition.md).
NATIVE = {"gemm": "gemm_n128_k2048", "rmsnorm": "rmsnorm_h2048", "fused_add_rmsnorm": "fused_add_rmsnorm_h4096"}
BY_PYTHON = "silu_and_mul_i256"


def has_numpy():
    try:
        return subprocess.run([PYTHON, "-I", "-c", "import numpy"], capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False


NEEDS_NUMPY = unittest.skipUnless(has_numpy(), f"{PYTHON} has no numpy (deps/apt.txt, section test)")


class PublicDataset(scenario.Scenario):
    OWN_CACHE = True  # What references returned is looked for there.

    def setUp(self):
        super().setUp()
        self.copy = self.folder / "public"
        shutil.copytree(PUBLIC, self.copy)

    def evaluate(self, kernel, definition, code=0, **extra):
        return self.assay("evaluate", kernel, "--definition", definition, "--dataset", self.copy, "--archive",
                          self.archive, "--policy", self.policy(), "--json", code=code, **extra)

    def broken(self, example, before, after):
        text = (EXAMPLES / f"{example}.cpp").read_text()
        self.assertIn(before, text)
        return self.write(f"{example}_broken.cpp", text.replace(before, after))

    def refusal(self, definition, code, **extra):
        """What a request is refused with that the machine or the definition prevents."""
        error = self.evaluate(EXAMPLES / "silu_and_mul.cpp", definition, code=code, **extra).json()["error"]
        self.assertEqual(error["owner"], {2: "input", 3: "environment"}[code])
        return error["message"]


class KnownByStructureTest(PublicDataset):
    """No Python is needed: there is none in these tests."""

    def test_the_plain_kernels_are_correct(self):
        for example, definition in NATIVE.items():
            with self.subTest(definition=definition):
                answer = self.evaluate(EXAMPLES / f"{example}.cpp", definition, ASSAY_PYTHON="/nowhere").json()
                self.assertTrue(answer["correct"], answer)
                self.assertGreater(answer["evaluation"]["checked_calls"], 0)

    def test_mistakes_are_found_and_placed(self):
        wrong = {"gemm": ("for (; k < count; ++k)", "for (; k + 1 < count; ++k)", "k + kStrands <= count",
                          "k + kStrands < count"),
                 "rmsnorm": ("* from_bfloat16(weight[i])", "* (1.0f + from_bfloat16(weight[i]))"),
                 "fused_add_rmsnorm": ("from_bfloat16(hidden_states[at]) + from_bfloat16(residual[at])",
                                       "from_bfloat16(to_bfloat16(from_bfloat16(hidden_states[at]) + "
                                       "from_bfloat16(residual[at])))")}
        for example, (before, after, *more) in wrong.items():
            with self.subTest(example=example):
                kernel = self.broken(example, before, after)
                if more:
                    kernel.write_text(kernel.read_text().replace(*more))
                answer = self.evaluate(kernel, NATIVE[example], code=1, ASSAY_PYTHON="/nowhere").json()
                self.assertEqual(answer["evaluation"]["outcome"], "incorrect", answer)
                finding = answer["evaluation"]["findings"][0]
                self.assertEqual(finding["kind"], "mismatch")
                self.assertEqual(len(finding["index"]), 2)


class KnownByItsReferenceTest(PublicDataset):
    @NEEDS_NUMPY
    def test_a_right_kernel_and_a_wrong_one(self):
        answer = self.evaluate(EXAMPLES / "silu_and_mul.cpp", BY_PYTHON).json()
        self.assertTrue(answer["correct"], answer)
        references = list((self.shared_cache / "references").iterdir())
        self.assertGreater(len(references), 0, "outputs are cached")
        kernel = self.broken("silu_and_mul", "scale * gate[i]", "gate[i]")
        answer = self.evaluate(kernel, BY_PYTHON, code=1).json()
        self.assertEqual(answer["evaluation"]["outcome"], "incorrect", answer)
        self.assertEqual(answer["evaluation"]["findings"][0]["tensor"], "y")

    def edit(self, change):
        path = next((self.copy / "definitions").rglob(f"{BY_PYTHON}.json"))
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    @NEEDS_NUMPY
    def test_a_reference_that_raises_is_the_inputs_fault(self):
        self.edit(lambda document: document.update(reference="def run(x, scale):\n    return x[:, 1000]\n"))
        error = self.refusal(BY_PYTHON, code=2)
        self.assertIn("IndexError", error)
        self.assertIn("line 2: return x[:, 1000]", error)

    @NEEDS_NUMPY
    def test_a_module_that_is_missing_is_the_machines_fault(self):
        self.edit(lambda document: document.update(reference="import no_such_module\n" + document["reference"]))
        error = self.refusal(BY_PYTHON, code=3)
        self.assertIn("No module named 'no_such_module'", error)
        self.assertIn("ASSAY_PYTHON", error)

    def test_no_python_is_the_machines_fault(self):
        self.assertIn("ASSAY_PYTHON names no program", self.refusal(BY_PYTHON, code=3, ASSAY_PYTHON="/nowhere/python3"))

    @NEEDS_NUMPY
    def test_inputs_in_files_are_refused_by_name(self):
        path = next((self.copy / "workloads").rglob(f"{BY_PYTHON}.jsonl"))
        documents = [json.loads(line) for line in path.read_text().splitlines()]
        for document in documents:
            document["workload"]["inputs"]["x"] = {"type": "safetensors", "path": "blob/x.safetensors",
                                                   "tensor_key": "x"}
        path.write_text("".join(json.dumps(document) + "\n" for document in documents))
        error = self.refusal(BY_PYTHON, code=2)
        self.assertIn("/inputs/x", error)
        self.assertIn("blob/x.safetensors", error)


if __name__ == "__main__":
    scenario.main()
