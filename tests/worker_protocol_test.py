#!/usr/bin/env python3
"""Holds docs/worker-protocol.md against src/assay/worker/protocol.hpp: version, kinds, numbers on the wire and limits."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "worker-protocol.md").read_text()
CODE = (ROOT / "src" / "assay" / "worker" / "protocol.hpp").read_text()
# Each limit, and the words with which the page states it.
LIMITS = {
    "kMaximumPayload": "of the payload; at most {}",
    "kMaximumText": "at most {} bytes",
    "kMaximumSymbol": "each at most {} bytes",
    "kMaximumArguments": "(together at most {})",
    "kMaximumRank": "rank u8 (at most {})",
    "kMaximumLaunches": "number of kernels u8 (1 to {})",
    "kMaximumKernelName": "the name (at most {} bytes)",
    "kMostSeriesCalls": "(each at most {}, the second at least 1)",
    "kSocketDescriptor": "descriptor {} in the worker",
}


def constant(name):
    text = re.search(rf"\b{name} = ([^;]+);", CODE).group(1)
    value = 1
    for number in re.findall(r"\d+", text.replace("std::size_t", "")):
        value *= int(number)
    return value


def enumerators(name):
    body = re.search(rf"enum class {name} : [^{{]*\{{([^}}]*)\}}", CODE).group(1)
    return {word: int(number) for word, number in re.findall(r"(\w+) = (\d+)", body)}


class ProtocolPageTest(unittest.TestCase):
    def test_it_is_about_this_version(self):
        self.assertEqual(re.findall(r"Version (\d+)\.", PAGE), [str(constant("kProtocolVersion"))])

    def test_it_has_every_command_with_its_number_and_no_other(self):
        kinds = enumerators("Kind")
        self.assertIn(f"kind {kinds.pop('fault')}, *fault*", PAGE)
        rows = re.findall(r"^\| (\d+) \| (\w+) \| [^|]*\|", PAGE.partition("\n## Commands\n")[2], re.MULTILINE)
        self.assertEqual({name: int(number) for number, name in rows}, kinds)

    def test_the_fields_of_a_frame_are_as_long_as_a_header(self):
        table = PAGE.partition("\n## Frame\n")[2].partition("\n## Commands\n")[0]
        self.assertEqual(sum(int(size) for size in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)),
                         constant("kHeaderSize"))

    def test_every_limit_is_stated(self):
        for name, words in LIMITS.items():
            with self.subTest(limit=name):
                self.assertIn(words.format(f"{constant(name):,}"), PAGE)

    def test_every_status_is_explained(self):
        for name in ("LoadStatus", "TimingStatus"):
            for word, number in enumerators(name).items():
                with self.subTest(status=f"{name}::{word}"):
                    self.assertRegex(PAGE, rf"[(,;:] ?{number} \w+")


if __name__ == "__main__":
    unittest.main()
