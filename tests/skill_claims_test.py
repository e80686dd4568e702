#!/usr/bin/env python3
"""Holds what the skills say against what it rests on: measured results, policies, workloads, the operators' pages.

tests/skill_claims.jsonl has a line a claim: `skill` (below skills/) and the words that it `says`, where {} stands for a
number; and the `source` with what must be there:

  "holds": TEXT                        the source has these words
  "at": POINTER, "format": F           a number of a JSON or TOML file, times `times`, is what the skill says for {}
  "at": POINTER, "equals": VALUE       a value of the file
  "lines_with": PATTERN                so many lines of the file match, which is what the skill says for {}
  "largest_of": KEY, "equals": VALUE   the largest number in the lists under KEY of a file of JSON lines

Line breaks count as blanks. A claim whose source changes, or whose words are edited, fails here.
"""

import json
import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
CLAIMS = ROOT / "tests" / "skill_claims.jsonl"
KEYS = {"skill", "says", "source", "holds", "at", "format", "times", "equals", "lines_with", "largest_of"}
MEASURED = re.compile(r"`(bench/results/[\w.]+)`")


def flowing(text):
    """Text as it reads: line breaks and runs of blanks are one blank."""
    return re.sub(r"\s+", " ", text)


def document(path):
    return tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_text())


def value_at(value, pointer):
    for part in pointer.strip("/").split("/"):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def fault(claim, root):
    """Returns what is wrong with a claim, or None."""
    if not {"skill", "says", "source"} <= set(claim) <= KEYS:
        return f"has other keys than {sorted(KEYS)}"
    source = root / claim["source"]
    said = claim["says"]
    if "holds" in claim:
        if flowing(claim["holds"]) not in flowing(source.read_text()):
            return f"{claim['source']} does not say \"{claim['holds']}\""
    elif "lines_with" in claim:
        lines = source.read_text().splitlines()
        said = said.format(sum(bool(re.search(claim["lines_with"], line)) for line in lines))
    elif "largest_of" in claim:
        found = max(number for line in source.read_text().splitlines() for number in json.loads(line)[claim["largest_of"]])
        if found != claim["equals"]:
            return f"{claim['source']} has {found}"
    else:
        found = value_at(document(source), claim["at"])
        if "equals" in claim:
            if found != claim["equals"]:
                return f"{claim['source']} has {found} at {claim['at']}"
        else:
            number = found * claim["times"] if "times" in claim else found
            said = said.format(format(number, claim["format"]))
    if flowing(said) not in flowing((root / "skills" / claim["skill"]).read_text()):
        return f"{claim['skill']} does not say \"{said}\""
    return None


def claims():
    return [json.loads(line) for line in CLAIMS.read_text().splitlines() if line.strip()]


class ClaimsTest(unittest.TestCase):
    def test_every_claim_rests_on_its_source(self):
        self.assertGreater(len(claims()), 80)
        for number, claim in enumerate(claims(), 1):
            with self.subTest(line=number, claim=claim["says"]):
                self.assertIsNone(fault(claim, ROOT))

    def test_every_result_that_a_skill_names_has_a_claim(self):
        claimed = {(claim["skill"], claim["source"]) for claim in claims()}
        folder = ROOT / "skills"
        for file in sorted(folder.glob("*/**/*.md")):
            name = file.relative_to(folder).as_posix()
            for source in MEASURED.findall(file.read_text()):
                self.assertIn((name, source), claimed, "a measured number needs a line in tests/skill_claims.jsonl")

    def test_wrong_claims_are_told(self):
        sample = claims()[0]
        for change, part in [({"holds": "999 multiprocessors"}, "does not say"), ({"says": "133, 60 MiB"}, "does not say"),
                             ({"extra": 1}, "other keys")]:
            self.assertIn(part, fault({**sample, **change}, ROOT))
        measured = {"skill": sample["skill"], "says": "{} us by events", "source": "bench/results/gpu_compat.json",
                    "at": "/rows/0/ours_candidate_ns", "times": 0.002, "format": ".1f"}
        self.assertIn("does not say", fault(measured, ROOT))
        self.assertIn("has 8527", fault({**measured, "equals": 1}, ROOT))
        lines = {"skill": "assay-moe-fp8/SKILL.md", "says": "({} workloads)", "source": sample["source"],
                 "lines_with": "uuid"}
        self.assertIn("(0 workloads)", fault(lines, ROOT))


if __name__ == "__main__":
    unittest.main(verbosity=2)
