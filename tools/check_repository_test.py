#!/usr/bin/env python3
"""Plants what check_repository.py must find in a small repository, one thing at a time."""

import contextlib
import io
import pathlib
import subprocess
import tempfile
import unittest

import check_repository

HEADER = "#pragma once\nnamespace assay::base {\nint answer();\n}\n"


class CheckRepository(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "checkout"
        self.write("src/assay/base/answer.hpp", HEADER)
        self.write("src/assay/base/answer_test.cpp", "int a;\nint b;\nint c;\nint d;\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def problems(self):
        return check_repository.check(self.root)[0]

    def assert_one_problem(self, expected):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(expected, problems[0])

    def test_a_good_tree_passes_and_prints_its_figures(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(check_repository.main([str(self.root)]), 0, printed.getvalue())
        self.assertIn("2 files, median 4 lines, 100% of at most 400", printed.getvalue())
        self.assertIn("code: 4 test / 4 source = 1.00", printed.getvalue())

    def test_long_files_are_listed_then_refused(self):
        self.write("src/assay/base/long_test.cpp", "int a;\n" * 450)
        problems, figures = check_repository.check(self.root)
        self.assertEqual(problems, [])
        self.assertIn("src/assay/base/long_test.cpp: 450 lines", figures)
        self.write("src/assay/base/long_test.cpp", "int a;\n" * 601)
        self.assert_one_problem("long_test.cpp: 601 lines; split it")

    def test_data_of_others_may_be_long_and_hold_paths(self):
        self.write("tests/data/stream.py", "open('/work/x')\n" * 700)
        self.write("datasets/contest/w.jsonl", '{"path": "/root/x"}\n')
        self.assertEqual(self.problems(), [])

    def test_paths_of_a_machine(self):
        for line in ('open("/work/main/x")', "cd /root", "see /home/someone/notes", "path=/work/shared",
                     "(/workspace/a)"):
            with self.subTest(line):
                self.write("docs/a.md", line + "\n")
                self.assert_one_problem("docs/a.md:1: a path of one machine")

    def test_what_only_looks_like_such_a_path(self):
        self.write("docs/a.md", "build/work/x ./root/y ${x}/work/z homework /workload /home-made a/home/b /usr/share "
                                "rework/root\n")
        self.assertEqual(self.problems(), [])

    def test_registries_and_unknown_hosts(self):
        for line, expected in (("pip install --index-url x", "names a package registry"),
                               ("see pypi.org", "names a package registry"),
                               ("https://packages.internal.example/simple", "host packages.internal.example")):
            with self.subTest(line):
                self.write("docs/a.md", line + "\n")
                self.assert_one_problem(expected)
        self.write("docs/a.md", 'xmlns="http://www.w3.org/2000/svg" https://github.com/dmlc/dlpack\n')
        self.assertEqual(self.problems(), [])

    def test_links_that_lead_nowhere(self):
        self.write("docs/a.md", "[x](../src/assay/base/answer.hpp) [y](#part) [z](https://github.com/a/b)\n")
        self.assertEqual(self.problems(), [])
        self.write("docs/a.md", "![x](images/gone.png)\n")
        self.assert_one_problem("docs/a.md: links to images/gone.png, which does not exist")

    def test_names_that_say_nothing(self):
        for name in ("utils.cpp", "string_helpers.cpp", "manager.py", "common.cmake", "misc_text.cpp"):
            with self.subTest(name):
                self.write("tools/" + name, "\n")
                self.assert_one_problem("name the concept")
                (self.root / "tools" / name).unlink()
        self.write("tools/utility_function.py", "\n")
        self.write("tools/uncommon.py", "\n")
        self.assertEqual(self.problems(), [])

    def test_headers_are_guarded_and_open_their_namespace(self):
        self.write("src/assay/base/answer.hpp", "namespace assay::base {\nint a();\n}\n")
        self.assert_one_problem("lacks #pragma once")
        self.write("src/assay/base/answer.hpp", HEADER.replace("base", "os"))
        self.assert_one_problem("does not open namespace assay::base")

    def test_too_few_tests(self):
        self.write("src/assay/base/answer.cpp", "int a;\n" * 4)
        self.assert_one_problem("0.50 lines of test a line of source")

    def test_comments_and_blank_lines_do_not_count(self):
        text = "// a\n\n  /* b\n c\n */\nint d;  // e\n/* f */\n# g\n#include <h>\n"
        self.assertEqual(check_repository.code_lines(text), 2)

    def test_scenarios_count_as_tests(self):
        self.assertTrue(check_repository.counted("tests/scenario/evaluate.txt"))
        for name in ("tests/scenario/run.py", "src/assay/os/test_processes.hpp", "src/assay/stats/t_test_test.cpp",
                     "src/assay/report/sample_testing.hpp", "src/assay/plot/testing.hpp",
                     "src/assay/control/fake_evaluator.cpp", "src/assay/archive/sample_bundle.cpp"):
            self.assertTrue(check_repository.is_test(name), name)
        for name in ("src/assay/stats/t_test.hpp", "src/assay/stats/t_test.cpp", "src/assay/os/contest.cpp",
                     "src/assay/a/testing_ground.cpp"):
            self.assertFalse(check_repository.is_test(name), name)
        self.assertFalse(check_repository.counted("tests/data/x.py"))
        self.assertFalse(check_repository.counted("cmake/Layers.cmake"))

    def test_in_a_checkout_ignored_files_do_not_count(self):
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.write(".gitignore", "/build/\n")
        self.write("build/generated.cpp", "int a;\n" * 1000)
        self.write("build/notes.md", "/work/x\n")
        self.assertEqual(self.problems(), [])

    def test_binary_files_are_passed_over(self):
        self.write("docs/images/report.png", b"\x89PNG\0/work/\0")
        self.assertEqual(self.problems(), [])

    def test_an_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(check_repository.check(pathlib.Path(empty))[0], ["no source file found"])


if __name__ == "__main__":
    unittest.main()
