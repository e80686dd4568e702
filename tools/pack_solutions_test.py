#!/usr/bin/env python3
"""Tests pack_solutions.py on a copy of the examples."""

import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools" / "pack_solutions.py"
SOLUTIONS = pathlib.Path("datasets/contest/solutions")
TUNABLE = SOLUTIONS / "assay/gdn/gdn_decode_qk4_v8_d128_k_last/gdn_decode_tunable_cpu.json"
TUNABLE_CUDA = TUNABLE.with_name("gdn_decode_tunable_cuda.json")
PLAIN = SOLUTIONS / "baseline/gdn/gdn_decode_qk4_v8_d128_k_last/gdn_decode_plain_cpu.json"


class PackSolutions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.examples = self.root / "examples" / "gdn_decode"
        shutil.copytree(ROOT / "examples" / "gdn_decode", self.examples)

    def run_tool(self, *options):
        return subprocess.run([sys.executable, "-B", str(TOOL), *options, str(self.root)], capture_output=True, text=True,
                              check=False)

    def edit_template(self, change):
        path = self.examples / "tunable.json"
        template = json.loads(path.read_text(encoding="utf-8"))
        change(template)
        path.write_text(json.dumps(template), encoding="utf-8")

    def test_missing_solutions_fail_the_check_and_are_written(self):
        before = self.run_tool("--check")
        self.assertEqual(before.returncode, 1)
        self.assertIn(f"{PLAIN.as_posix()} is missing", before.stdout)
        self.assertFalse((self.root / SOLUTIONS).exists())
        self.assertEqual(self.run_tool().returncode, 0)
        after = self.run_tool("--check")
        self.assertEqual((after.returncode, after.stdout), (0, ""))

    def test_sources_are_packed_byte_for_byte(self):
        self.run_tool()
        solution = json.loads((self.root / TUNABLE).read_text(encoding="utf-8"))
        self.assertEqual(solution["sources"][0]["content"], (self.examples / "tunable.cpp").read_text(encoding="utf-8"))
        self.assertEqual(solution["spec"]["entry_point"], solution["sources"][0]["path"] + "::run")
        self.assertEqual(set(solution["assay"]), {"tuning"})
        self.assertNotIn("assay", json.loads((self.root / PLAIN).read_text(encoding="utf-8")))

    def test_a_plan_is_packed_and_becomes_the_entry_file(self):
        self.assertEqual(self.run_tool().returncode, 0)
        solution = json.loads((self.root / TUNABLE_CUDA.with_name("gdn_decode_device_only_cuda.json"))
                              .read_text(encoding="utf-8"))
        self.assertEqual(solution["spec"]["entry_point"], "launch.json::run")
        self.assertEqual([source["path"] for source in solution["sources"]], ["kernel.cu", "launch.json"])
        self.assertEqual(solution["sources"][1]["content"],
                         (self.examples / "device_only.launch.json").read_text(encoding="utf-8"))

    def test_public_examples_say_what_they_implement(self):
        shutil.copytree(ROOT / "examples" / "public", self.root / "examples" / "public")
        self.assertEqual(self.run_tool().returncode, 0)
        written = sorted((self.root / "datasets" / "public" / "solutions").rglob("*.json"))
        self.assertEqual(len(written), len(list((ROOT / "examples" / "public").glob("*.json"))))
        for path in written:
            solution = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(path.parent.name, solution["definition"])
        template = self.root / "examples" / "public" / "gemm.json"
        document = json.loads(template.read_text(encoding="utf-8"))
        del document["definition"]
        template.write_text(json.dumps(document), encoding="utf-8")
        self.assertEqual(self.run_tool().returncode, 2)

    def test_each_tuning_parameter_is_a_macro_of_the_source(self):
        self.run_tool()
        for path in (TUNABLE, TUNABLE_CUDA):
            solution = json.loads((self.root / path).read_text(encoding="utf-8"))
            for name, values in solution["assay"]["tuning"]["parameters"].items():
                self.assertIn(f"#ifndef {name}\n#define {name} ", solution["sources"][0]["content"])
                self.assertGreater(len(values), 1)

    def test_the_language_follows_from_the_source(self):
        self.run_tool()
        for path, language, hardware, name in ((TUNABLE, "cpp", "cpu", "kernel.cpp"),
                                               (TUNABLE_CUDA, "cuda", "cuda", "kernel.cu")):
            solution = json.loads((self.root / path).read_text(encoding="utf-8"))
            self.assertEqual(solution["spec"]["language"], language)
            self.assertEqual(solution["spec"]["target_hardware"], [hardware])
            self.assertEqual(solution["sources"][0]["path"], name)
        self.edit_template(lambda template: template.update(source="tunable.f90"))
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("must end in .cpp or .cu", result.stderr)

    def test_every_choice_for_gpus_tiles_a_head(self):
        """What the constraints of the tunable kernel allow is what its static assertions and a GPU's registers want."""
        self.run_tool()
        solution = json.loads((self.root / TUNABLE_CUDA).read_text(encoding="utf-8"))
        tuning = solution["assay"]["tuning"]
        constraints = [compile(text, text, "eval") for text in tuning["constraints"]]

        def allowed(choice):
            return all(eval(constraint, {"__builtins__": {}}, choice) for constraint in constraints)

        defaults = {name: int(re.search(rf"#define {name} (\d+)", solution["sources"][0]["content"]).group(1))
                    for name in tuning["parameters"]}
        self.assertTrue(allowed(defaults))
        geometry = ("ROWS_PER_BLOCK", "LANES", "VECTOR_WIDTH", "ROWS_IN_FLIGHT", "WARPS", "UNROLL", "BLOCKS_PER_SM")
        choices = [dict(defaults, **dict(zip(geometry, values)))
                   for values in itertools.product(*(tuning["parameters"][name] for name in geometry))]
        chosen = [choice for choice in choices if allowed(choice)]
        self.assertGreater(len(chosen), 500)
        self.assertLess(len(chosen), len(choices))
        for choice in chosen:
            rows_a_step = choice["WARPS"] * 32 // choice["LANES"] * choice["ROWS_IN_FLIGHT"]
            self.assertEqual(choice["ROWS_PER_BLOCK"] % (rows_a_step * choice["UNROLL"]), 0, choice)
            self.assertEqual(128 % (choice["LANES"] * choice["VECTOR_WIDTH"]), 0, choice)
            self.assertLessEqual(choice["ROWS_IN_FLIGHT"] * 128 // choice["LANES"], 64, choice)
            self.assertLessEqual(choice["BLOCKS_PER_SM"] * choice["WARPS"] * 32, 1024, choice)

    def test_an_edited_source_fails_the_check(self):
        self.run_tool()
        with (self.examples / "plain.cpp").open("a", encoding="utf-8") as source:
            source.write("// edited\n")
        check = self.run_tool("--check")
        self.assertEqual(check.returncode, 1)
        self.assertIn(f"{PLAIN.as_posix()} differs from its sources", check.stdout)
        self.assertNotIn("tunable", check.stdout)

    def test_an_edited_solution_fails_the_check(self):
        self.run_tool()
        path = self.root / TUNABLE
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"LOOP_ORDER"', '"ORDER"'), encoding="utf-8")
        self.assertEqual(self.run_tool("--check").returncode, 1)

    def test_no_examples_at_all_is_an_error(self):
        shutil.rmtree(self.root / "examples")
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("no examples", result.stderr)

    def test_an_unknown_key_is_refused(self):
        self.edit_template(lambda template: template.update(colour="red"))
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("tunable.json", result.stderr)

    def test_a_missing_source_is_refused(self):
        self.edit_template(lambda template: template.update(source="none.cpp"))
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("none.cpp", result.stderr)

    def test_the_repositorys_solutions_are_current(self):
        result = subprocess.run([sys.executable, "-B", str(TOOL), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
