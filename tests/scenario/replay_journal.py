"""A campaign's journal is decided again, offline, to the same bytes; one that was touched is found where it was touched; and
another policy says what it would have decided of the same measurements."""

import json
import shutil
import sqlite3
import tempfile
from pathlib import Path

import assay_scenario as scenario
from agents_propose import EDIT


class ReplayTest(scenario.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = Path(tempfile.mkdtemp(prefix="assay-scenario-replay-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 4)
        self.at = ["--archive", self.archive]

    def campaign(self, *arguments, approval="policy", injections="null_rate = 1\nslower_rate = 1"):
        self.assay("campaign", "run", "tune", "--dataset", self.small, *self.at, "--device", "simulated:7", "--policy",
                   self.policy(approval, injections=injections, stress_trials=0), *arguments)

    def tuned(self, **options):
        bad = scenario.EXAMPLES / "bad"
        self.campaign("--tunable", scenario.TUNABLE, "--rounds", "2", "--per-round", "3", "--also",
                      bad / "does_not_compile.cpp", bad / "edited_comment.cpp", **options)

    def once_tuned(self):
        """A copy of the archive of one such campaign, which all tests of the class share."""
        kept = self.shared / "archive"
        if not kept.exists():
            self.tuned()
            shutil.copytree(self.archive, kept)
        else:
            shutil.copytree(kept, self.archive)

    def replay(self, *arguments, code=0):
        return self.assay("replay-journal", "tune", *self.at, *arguments, code=code)

    def kinds(self):
        database = sqlite3.connect(f"file:{self.archive}/archive.sqlite?mode=ro", uri=True)
        kinds = [kind for (kind,) in database.execute("SELECT kind FROM events ORDER BY sequence")]
        database.close()
        return kinds

    def test_what_was_decided_is_decided_again(self):
        self.once_tuned()
        kinds = self.kinds()
        # Nothing but the archive is needed.
        shutil.rmtree(self.small)
        answer = self.replay("--json").json()
        self.assertEqual(answer["difference"], None)
        self.assertEqual(answer["events"], len(kinds))
        self.assertEqual(answer["reproduced"], len(kinds))
        self.assertEqual(answer["taken"], {})
        self.assertEqual(answer["decided"]["candidate_gated"], kinds.count("candidate_gated"))
        self.assertGreater(answer["decided"]["injection_gated"], 0)
        self.assertIn(f"{len(kinds)} of {len(kinds)} events", self.replay().out)
        self.assertTrue(self.assay("archive", "verify", *self.at, "--json").json()["ok"])

    def test_a_touched_journal_is_found_where_it_was_touched(self):
        self.once_tuned()
        kinds = self.kinds()
        kept = self.folder / "kept"
        shutil.copytree(self.archive, kept)
        changes = [("candidate_gated", lambda body: body["log_ratio"].update(mean=-1.5) if body["log_ratio"] else None),
                   ("candidates_proposed", lambda body: body["candidates"][0].update(name="other")),
                   ("injection_made", lambda body: body.update(round=0)),
                   ("baseline_measured", lambda body: body["baseline_ns"].__setitem__(0, 1.25))]
        for kind, change in changes:
            with self.subTest(kind=kind):
                shutil.rmtree(self.archive)
                shutil.copytree(kept, self.archive)
                database = sqlite3.connect(f"{self.archive}/archive.sqlite")
                touched = None
                for sequence, body in database.execute("SELECT sequence, body FROM events WHERE kind = ? ORDER BY "
                                                       "sequence", (kind,)).fetchall():
                    document = json.loads(body)
                    change(document)
                    edited = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
                    if edited != body and touched is None:
                        touched = sequence
                        with database:
                            database.execute("UPDATE events SET body = ? WHERE sequence = ?", (edited, sequence))
                database.close()
                self.assertIsNotNone(touched)
                answer = self.replay("--json", code=1).json()
                self.assertEqual(answer["difference"]["sequence"], touched)
                self.assertEqual(answer["difference"]["kind"], kinds[touched - 1])
                self.assertEqual(answer["reproduced"], touched - 1)
                self.assertIn(f"event {touched} differs", self.replay(code=1).out)

    def test_what_agents_and_people_did_is_taken_as_it_is_written(self):
        agent = self.write("bin/edit", EDIT)
        agent.chmod(0o755)
        self.campaign("--agent", f"command:{agent}", "--rounds", "3", "--per-round", "1", approval="person",
                      injections="")
        status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        for _ in range(4):
            if status["phase"] != "awaiting_approval":
                break
            self.assay("approve", "tune", "--refuse", "--who", "me", "--why", "no", "--minutes", "2", *self.at)
            self.assay("campaign", "resume", "tune", *self.at)
            status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
        agent.unlink()
        answer = self.replay("--json").json()
        self.assertEqual(answer["difference"], None)
        self.assertEqual(answer["taken"]["agent_run_ended"], 3)
        self.assertEqual(answer["decided"]["candidates_proposed"], 3)

    def test_another_policy(self):
        self.tuned(injections="")
        same = self.replay("--policy", self.policy(stress_trials=0), "--json").json()
        self.assertIsNone(same["stopped"])
        self.assertEqual(same["incumbent"], same["recorded_incumbent"])
        self.assertTrue(all(one["other"] == one["recorded"] for one in same["decisions"]), same["decisions"])
        # Nobody is faster by so much: the baseline would have stayed.
        text = self.policy(stress_trials=0).read_text()
        strict = self.write("strict.toml", text.replace("[gate]", "[gate]\nminimum_effect = 0.9")
                            .replace("[sweep]", "[sweep]\nminimum_effect = 0.9"))
        other = self.replay("--policy", strict, "--json").json()
        self.assertIn("(baseline)", other["incumbent"])
        self.assertFalse([one for one in other["decisions"] if one["other"] in ("better", "promote")])
        # More pairs than were measured: nobody knows.
        patient = self.write("patient.toml", text.replace("minimum_pairs = 2", "minimum_pairs = 9")
                             .replace("maximum_pairs = 3", "maximum_pairs = 9"))
        other = self.replay("--policy", patient, "--json").json()
        self.assertIn("process pair", other["stopped"])
        said = self.replay("--policy", patient).out
        self.assertIn("not measured", said)
        self.assertIn("followed no further", said)
        self.assertIn("nonsense", self.replay("--policy", "nonsense", code=2).err)


if __name__ == "__main__":
    scenario.main()
