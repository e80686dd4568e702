#!/usr/bin/env python3
"""Holds docs/hostile-corpus.md and the corpus against each other: every number has its row, every row its evidence."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "hostile-corpus.md"
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
GPU_ROW = re.compile(r"^\| `([\w-]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
HEAD = re.compile(r"// assay-corpus: (.*)")


def rows():
    return {int(number): shown for number, _, shown in ROW.findall(PAGE.read_text())}


def heads(kind):
    """Returns {file: {word: value}} of a folder."""
    result = {}
    for path in sorted((ROOT / "tests" / kind).iterdir()):
        if path.suffix in (".c", ".cpp", ".cu"):
            found = HEAD.match(path.read_text())
            result[path] = dict(word.split("=", 1) for word in found.group(1).split()) if found else {}
    return result


def gpu_rows():
    """Returns [(candidate, outcome)] of the table of those for GPUs; the words in the table of heads are no candidates."""
    part = PAGE.read_text().partition("\n## On a GPU\n")[2]
    return [(name, outcome) for name, _, outcome in GPU_ROW.findall(part)]


def stated_outcome(head):
    if head["kind"] == "honest":
        return "any correct one" if head.get("stage") == "gate" else "measured"
    return head["expect"].replace("|", " or ")


def known_tests():
    names = set()
    for path in (ROOT / "src").rglob("*_test.cpp"):
        names.update(f"{suite}.{test}" for suite, test in
                     re.findall(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+)", path.read_text()))
    return names


class PageTest(unittest.TestCase):
    def test_every_number_of_the_catalogue_has_one_row(self):
        self.assertEqual(list(rows()), list(range(1, 93)))

    def test_a_row_says_candidates_exactly_if_there_are_some(self):
        with_files = {int(head["number"]) for head in heads("hostile").values()}
        saying_so = {number for number, shown in rows().items() if re.match(r"candidates($|[;,])", shown)}
        self.assertEqual(saying_so, with_files)
        only_on_gpus = {int(head["number"]) for head in heads("hostile_cuda").values()} - with_files
        saying_so = {number for number, shown in rows().items() if shown.startswith("candidates on a GPU")}
        self.assertEqual(saying_so, only_on_gpus)

    def test_every_candidate_for_gpus_has_one_row_with_its_outcome(self):
        files = {**heads("hostile_cuda"), **heads("honest_cuda")}
        self.assertEqual(gpu_rows(), [(path.stem, stated_outcome(head)) for path, head in files.items()])

    def test_every_test_that_is_named_exists(self):
        known = known_tests()
        for number, shown in rows().items():
            for name in re.findall(r"`(\w+\.[A-Za-z]\w*)`", shown):
                if not name.endswith(".py"):
                    with self.subTest(row=number):
                        self.assertTrue(name in known, f"there is no test {name}")

    def test_every_scenario_that_is_named_exists(self):
        for number, shown in rows().items():
            for file, method in re.findall(r"scenario `(\w+\.py)` `(test_\w+)`", shown):
                with self.subTest(row=number):
                    self.assertTrue(f"def {method}(" in (ROOT / "tests" / "scenario" / file).read_text())

    def test_what_no_candidate_shows_on_a_cpu_is_in_the_table_of_what_is_not_shown(self):
        table = PAGE.read_text().partition("## What cannot be tested or caught here")[2].partition("| what is tested,")[0]
        told = set()
        for cell in re.findall(r"^\| (\d[^|]*) \|", table, re.MULTILINE):
            for part in cell.split(";"):
                numbers = part.partition(":")[0]
                for first, last in re.findall(r"(\d+)(?: to (\d+))?", numbers):
                    told.update(range(int(first), int(last or first) + 1))
        unshown = {number for number, shown in rows().items()
                   if re.match(r"GPU only|not (yet|a candidate|testable)|candidates on a GPU", shown)}
        self.assertEqual(told, unshown)

    def test_every_row_has_evidence_or_a_reason(self):
        for number, shown in rows().items():
            with self.subTest(row=number):
                self.assertRegex(shown, r"^(candidates|honest candidate|test `|scenario `|GPU only|not )")


class CorpusTest(unittest.TestCase):
    def test_it_is_as_large_as_promised(self):
        self.assertGreaterEqual(len(heads("hostile")), 45)
        self.assertGreaterEqual(len(heads("honest")), 40)
        self.assertGreaterEqual(len(heads("hostile_cuda")), 30)
        self.assertGreaterEqual(len(heads("honest_cuda")), 12)

    def test_a_folder_has_candidates_for_one_device(self):
        for kind in ("hostile", "honest"):
            self.assertNotIn(".cu", {path.suffix for path in heads(kind)})
            self.assertEqual({path.suffix for path in heads(f"{kind}_cuda")}, {".cu"})

    def test_names_begin_with_their_number(self):
        for path, head in {**heads("hostile"), **heads("hostile_cuda")}.items():
            with self.subTest(file=path.name):
                self.assertEqual(int(re.match(r"\d+", path.name).group()), int(head["number"]))
                self.assertEqual(head["kind"], "hostile")

    def test_honest_ones_are_called_so(self):
        for path, head in {**heads("honest"), **heads("honest_cuda")}.items():
            with self.subTest(file=path.name):
                self.assertEqual(head.get("kind"), "honest")

    def test_no_two_are_the_same(self):
        for kind in ("hostile", "honest", "hostile_cuda"):  # Honest kernels may pass at two stages.
            bodies = {}
            for path, head in heads(kind).items():
                body = head.get("plan", "") + "\n".join(line for line in path.read_text().splitlines()
                                                        if not line.startswith("//"))
                self.assertNotIn(body, bodies, f"{path.name} is {bodies.get(body)}")
                bodies[body] = path.name


if __name__ == "__main__":
    unittest.main()
