#!/usr/bin/env python3
"""Audits the public traces a second time, from the raw files and with nothing of Assay's: what it finds must be the
answers that the C++ tests hold the program against, and must agree with the answers published for two of the traces.

usage: foreign_audit_test.py [ROOT]           (--answers prints what it finds)
"""

import itertools
import json
import math
import sys
import unittest
from pathlib import Path

PRINT = "--answers" in sys.argv
if PRINT:
    sys.argv.remove("--answers")
ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data" / "traces"
OWNERS = ("compile", "runtime", "incorrect", "timeout", "infrastructure_quota", "infrastructure_no_result",
          "interface_mismatch")
LOST = ("infrastructure_quota", "infrastructure_no_result")

# The words of the published answers, and ours.
VERDICTS = {"refuse_identical": "identical", "refuse_latency_raising": "worse",
            "hold_indistinguishable": "indistinguishable", "hold_environment_suspect": "suspect_environment",
            "plausible": "plausible"}


def lines(name):
    return [json.loads(line) for line in (DATA / name).read_text().splitlines() if line.strip()]


ARCHIVED = lines("evaluations.jsonl")
EXTRA = lines("evaluations_extra.jsonl")
PROMOTIONS = lines("promotions.jsonl")
BY_ID = {(e["trace"], e["evaluation"]): e for e in ARCHIVED + EXTRA}
NAMES = list(dict.fromkeys(e["trace"] for e in ARCHIVED))


def log_ratio(field, old, new):
    return math.log(new[field]) - math.log(old[field])


def shifted(old, new):
    return abs(log_ratio("mean_reference_latency_ms", old, new)) > math.log(2)


def failure(e):
    """Names what went wrong, or None."""
    kind, text = e["recorded_kind"], e["error_excerpt"]
    if e["status"] == "success":
        return None
    if kind in ("SHARD_FAILED", "NO_RESULTS"):
        return LOST[0] if "limit reached" in text else LOST[1]
    if kind == "COMPILE_ERROR":
        return "interface_mismatch" if text.startswith("Build error") and "xport" in text else "compile"
    if kind == "RUNTIME_ERROR":
        return "compile" if text.startswith("triton.compiler") else "runtime"
    return {"INCORRECT_NUMERICAL": "incorrect", "TIMEOUT": "timeout", "FRAMEWORK_TIMEOUT": "timeout"}[kind]


def repeat_pairs(evaluations):
    """Yields pairs of successes of the same normalised source and environment."""
    good = [e for e in evaluations if e["status"] == "success"]
    for a, b in itertools.combinations(good, 2):
        if a["trace"] == b["trace"] and a["normalized_sha256"] == b["normalized_sha256"] and not shifted(a, b):
            yield a, b


def comparison_band():
    squares = [log_ratio("mean_latency_ms", a, b) ** 2 for a, b in repeat_pairs(ARCHIVED + EXTRA)
               if a["time"] and b["time"]]
    return 1.96 * math.sqrt(sum(squares) / len(squares)), len(squares)


def trace_band(name):
    """1.96 sqrt(2) sigma, from pairs: each group's sum of squares about its mean is that of its pairs over its size."""
    groups = {}
    for a, b in repeat_pairs([e for e in ARCHIVED + EXTRA if e["trace"] == name]):
        # The environment is part of the group: a's pairs with those of the other one are not yielded.
        key = (a["normalized_sha256"], round(math.log2(a["mean_reference_latency_ms"]) / 1.5)) \
            if "gdn_decode" in name else a["normalized_sha256"]
        members, squares = groups.setdefault(key, (set(), []))
        members.update((a["evaluation"], b["evaluation"]))
        squares.append(log_ratio("mean_latency_ms", a, b) ** 2)
    total = sum(sum(squares) / len(members) for members, squares in groups.values())
    degrees = sum(len(members) - 1 for members, _ in groups.values())
    return 1.96 * math.sqrt(2 * total / degrees)


def profiler_works(trace, run):
    return any(e["profile"] and e["profile"]["usable"] for e in ARCHIVED + EXTRA
               if e["trace"] == trace and e["controller_run"] == run)


def judged(promotion, band, own_band):
    old, new = (BY_ID[promotion["trace"], promotion[side]["evaluation"]] for side in ("old", "new"))
    ratio = log_ratio("mean_latency_ms", old, new)
    lost = old["controller_run"] != new["controller_run"] and profiler_works(promotion["trace"], old["controller_run"]) \
        and not profiler_works(promotion["trace"], new["controller_run"])
    same = old["normalized_sha256"] == new["normalized_sha256"]
    facts = [
        ("identical_source", "identical", old["source_sha256"] == new["source_sha256"]),
        ("identical_normalized_source", "identical", same and old["source_sha256"] != new["source_sha256"]),
        ("environment_shift", "environment_shift", shifted(old, new)),
        ("latency_raising", "worse", ratio > 0),
        ("indistinguishable", "indistinguishable", abs(ratio) < band),
        ("indistinguishable_by_trace_noise", None, abs(ratio) < own_band),
        ("environment_suspect", "suspect_environment", lost),
    ]
    verdicts = [verdict for _, verdict, holds in facts if holds and verdict]
    return {"id": promotion["id"], "verdict": verdicts[0] if verdicts else "plausible",
            "reasons": [reason for reason, _, holds in facts if holds]}


def picked_and_fastest(name, band):
    stored = [e for e in ARCHIVED + EXTRA if e["trace"] == name and e["status"] == "success" and e["time"]]
    picked = max(stored, key=lambda e: e["score"])
    same = [e for e in ARCHIVED + EXTRA if e["trace"] == name and e["status"] == "success" and not shifted(e, picked)]
    fastest = min(same, key=lambda e: e["mean_latency_ms"])
    apart = picked["normalized_sha256"] != fastest["normalized_sha256"] and \
        log_ratio("mean_latency_ms", fastest, picked) >= band
    return {"picked": picked["evaluation"], "fastest": fastest["evaluation"], "tellable_apart": apart}


def never_judged(name):
    lost = {e["normalized_sha256"] for e in ARCHIVED if e["trace"] == name and failure(e) in LOST}
    return len(lost - {e["normalized_sha256"] for e in ARCHIVED + EXTRA
                       if e["trace"] == name and failure(e) not in LOST})


def repeats(name):
    """What a memory that only knows names of sources, by bytes and normalised, refuses in the archive's order."""
    of = [e for e in ARCHIVED if e["trace"] == name]
    found = {"evaluations": len(of), "same_bytes": 0, "same_source": 0, "answered": 0, "most": 0}
    for i, e in enumerate(of):
        same = [o for o in of[:i] if o["source_sha256"] == e["source_sha256"]]
        alike = [o for o in of[:i] if o["normalized_sha256"] == e["normalized_sha256"]]
        found["same_bytes"] += bool(same)
        found["same_source"] += bool(alike and not same)
        found["answered"] += any(failure(o) not in LOST for o in same + alike)
        found["most"] = max(found["most"], len(same) + 1)
    return found


def answers():
    band, _ = comparison_band()
    own = {name: trace_band(name) for name in NAMES}
    failures = {name: {owner: sum(failure(e) == owner for e in ARCHIVED if e["trace"] == name) for owner in OWNERS}
                for name in NAMES}
    return {"promotions": [judged(p, band, own[p["trace"]]) for p in PROMOTIONS],
            "traces": {name: picked_and_fastest(name, band) for name in NAMES},
            "failures": failures,
            "unjudged": {name: never_judged(name) for name in NAMES},
            "repeats": {name: repeats(name) for name in NAMES}}


class ForeignAudit(unittest.TestCase):
    def test_the_answers_of_the_tests_are_those_of_the_raw_files(self):
        self.assertEqual(answers(), json.loads((DATA / "answers.json").read_text()))

    def test_the_published_answers_agree(self):
        published = json.loads((DATA / "published_answers.json").read_text())
        found = {p["id"]: p for p in answers()["promotions"]}
        self.assertEqual(len(published["promotions"]), 14)
        for promotion in published["promotions"]:
            self.assertEqual(found[promotion["id"]],
                             {**promotion, "verdict": VERDICTS[promotion["verdict"]]})
        for name, trace in published["traces"].items():
            self.assertEqual(answers()["traces"][name],
                             {"picked": trace["picked_by_controller"]["evaluation"],
                              "fastest": trace["fastest_recorded"]["evaluation"],
                              "tellable_apart": not (trace["inside_pooled_noise"] or trace["same_code"])})
            self.assertAlmostEqual(trace_band(name), published["noise"]["per_trace"][name]["band_log_ratio_of_two"], 4)
        for name, lost in published["infrastructure"]["unjudged_candidates"].items():
            self.assertEqual(answers()["unjudged"][name], lost["never_judged_elsewhere"])
        for name, causes in published["infrastructure"]["of_these_by_cause_per_trace"].items():
            for cause, count in causes.items():
                self.assertEqual(answers()["failures"][name][cause], count)

    def test_the_published_labels_agree(self):
        labelled = [e for e in ARCHIVED + EXTRA if "error_class" in e]
        self.assertEqual(len(labelled), 131 + 133 + 26 + 1)
        for e in labelled:
            self.assertEqual(failure(e) or "none", e["error_class"], e["evaluation"])

    def test_the_counts_are_those_of_the_publishers_readme(self):
        totals = {owner: sum(counts[owner] for counts in answers()["failures"].values()) for owner in OWNERS}
        self.assertEqual(totals, {"compile": 41, "runtime": 9, "incorrect": 110, "timeout": 6,
                                  "infrastructure_quota": 84, "infrastructure_no_result": 177,
                                  "interface_mismatch": 14})
        self.assertEqual(comparison_band()[1], 10)
        moe = answers()["repeats"]["moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048"]
        self.assertEqual(moe["evaluations"] - moe["same_bytes"], 214)
        verdicts = [p["verdict"] for p in answers()["promotions"]]
        self.assertEqual({v: verdicts.count(v) for v in set(verdicts)},
                         {"identical": 2, "worse": 5, "indistinguishable": 18, "suspect_environment": 1,
                          "plausible": 13})


if __name__ == "__main__":
    if PRINT:
        print(json.dumps(answers(), indent=1))
    else:
        unittest.main()
