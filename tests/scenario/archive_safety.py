"""The archive under bad luck: damage, garbage, a newer database, a full disk."""

import os
import shutil
import sqlite3
import subprocess
import textwrap
import unittest

import assay_scenario as scenario


class ArchiveTest(scenario.Scenario):
    OWN_CACHE = True  # One of its tests counts what is in it.

    def setUp(self):
        super().setUp()
        self.small = self.dataset(1)
        self.at = ["--archive", self.archive]

    def fill(self, archive=None, code=1, **extra):
        return self.assay("evaluate", scenario.EXAMPLES / "bad" / "forgets_beta.cpp", "--dataset", self.small,
                          "--archive", archive or self.archive, "--policy", self.policy(), code=code, **extra)

    def blobs(self):
        return [path for path in (self.archive / "blobs").rglob("*") if path.is_file()]

    def test_verify_finds_a_damaged_and_a_missing_blob(self):
        self.fill()
        self.assertTrue(self.assay("archive", "verify", *self.at, "--json").json()["ok"])
        victim = max(self.blobs(), key=lambda path: path.stat().st_size)
        content = bytearray(victim.read_bytes())
        content[len(content) // 2] ^= 1
        victim.chmod(0o600)
        victim.write_bytes(content)
        report = self.assay("archive", "verify", *self.at, "--json", code=3).json()
        self.assertFalse(report["ok"])
        self.assertTrue(report["problems"])
        victim.unlink()
        report = self.assay("archive", "verify", *self.at, "--json", code=3).json()
        self.assertTrue(report["problems"])

    def test_gc_removes_only_what_nothing_names(self):
        self.fill()
        before = sorted(self.blobs())
        self.assay("archive", "gc", *self.at)
        self.assertEqual(sorted(self.blobs()), before)
        # The rows go, so their blobs are garbage.
        with sqlite3.connect(self.archive / "archive.sqlite") as database:
            database.execute("DELETE FROM bundle_files")
            for table in ("input_failures", "failing_inputs"):  # Assay never deletes these.
                database.execute(f"DROP TRIGGER {table}_stay")
                database.execute(f"DELETE FROM {table}")
            database.execute("DELETE FROM built_code")  # It is held against the evaluations.
            database.execute("DELETE FROM evaluations")
        report = self.assay("archive", "gc", *self.at, "--json").json()
        self.assertGreater(report["blobs_removed"], 0)
        self.assertGreater(report["bytes_freed"], 0)
        self.assertLess(len(self.blobs()), len(before))
        self.assertTrue(self.assay("archive", "verify", *self.at, "--json").json()["ok"])

    def test_stats(self):
        self.fill()
        stats = self.assay("archive", "stats", *self.at, "--json").json()
        self.assertEqual(stats["evaluations"], 1)
        self.assertEqual(stats["candidates"], 2)
        self.assertGreater(stats["build_cache_bytes"], 0)

    def test_a_database_of_a_newer_version_is_refused_and_left_alone(self):
        self.fill()
        database = sqlite3.connect(self.archive / "archive.sqlite")
        with database:
            database.execute("UPDATE meta SET schema_version = 999")
        database.close()
        for command in (["archive", "verify"], ["candidates"], ["archive", "gc"]):
            finished = self.assay(*command, *self.at, code=2)
            self.assertIn("999", finished.err)
        self.fill(code=2)
        database = sqlite3.connect(self.archive / "archive.sqlite")
        self.assertEqual(database.execute("SELECT schema_version FROM meta").fetchone(), (999,))
        self.assertEqual(database.execute("SELECT count(*) FROM evaluations").fetchone(), (1,))
        database.close()

    def test_something_that_is_no_database_is_refused(self):
        self.archive.mkdir()
        (self.archive / "archive.sqlite").write_text("this is not a database\n" * 100)
        finished = self.assay("candidates", *self.at, code=3)
        self.assertIn("archive.sqlite", finished.err)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_a_full_disk_is_the_environments_fault_and_harms_nothing(self):
        disk = self.folder / "disk"
        disk.mkdir()
        kernel = scenario.EXAMPLES / "bad" / "forgets_beta.cpp"
        # In a mount namespace of its own: first an evaluation with room, then one on a disk that is filled up to a few
        # pages, then the archive is examined, then room again.
        script = textwrap.dedent(f"""
            set -u
            mount -t tmpfs -o size=64m tmpfs {disk}
            evaluate() {{
              {scenario.PROGRAMS}/assay evaluate "$1" --dataset {self.small} --archive {disk}/archive \\
                --policy {self.policy()} --again
            }}
            evaluate {kernel} >/dev/null; echo "room: $?"
            dd if=/dev/zero of={disk}/filler bs=4k 2>/dev/null
            evaluate {kernel} 2>{self.folder}/full.txt; echo "full: $?"
            {scenario.PROGRAMS}/assay archive verify --archive {disk}/archive 2>>{self.folder}/full.txt; echo "verify: $?"
            rm {disk}/filler
            evaluate {kernel} >/dev/null; echo "again: $?"
            {scenario.PROGRAMS}/assay archive verify --archive {disk}/archive >/dev/null; echo "verified: $?"
        """)
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "bash", "-c", script], text=True,
                              capture_output=True, timeout=self.TIMEOUT,
                              env=scenario.environment(ASSAY_BUILD_CACHE=self.folder / "cache"))
        if "room: 1" not in done.stdout and "mount" in done.stderr:
            self.skipTest(f"cannot mount here: {done.stderr}")
        self.assertIn("room: 1\n", done.stdout, done.stderr)
        self.assertIn("full: 3\n", done.stdout, done.stdout + done.stderr)
        # Even a reader needs a page for SQLite's shared memory, so it may be refused, with the reason.
        self.assertRegex(done.stdout, "verify: [03]\n")
        self.assertIn("again: 1\n", done.stdout, done.stdout + done.stderr)
        self.assertIn("verified: 0\n", done.stdout)
        for line in (self.folder / "full.txt").read_text().splitlines():
            self.assertRegex(line, "(?i)no space|full")


if __name__ == "__main__":
    scenario.main()
