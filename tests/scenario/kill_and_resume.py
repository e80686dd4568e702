"""kill -9 of any of the three programs at any moment loses nothing that was finished: a campaign that was killed and
resumed ends with the same archive content as one that was left alone, and no child outlives `assay`.

On a simulated clock, so that the samples can be compared too. The seed of the moments is printed; set ASSAY_KILL_SEED
to repeat a run and ASSAY_KILL_RUNS for more or fewer of them."""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import assay_scenario as scenario

RUNS = int(os.environ.get("ASSAY_KILL_RUNS", "50"))
SEED = int(os.environ.get("ASSAY_KILL_SEED", str(random.SystemRandom().randrange(1 << 32))))
# So many of the runs start with an empty build cache, so that compilers are killed too.
COLD_EVERY = 10
# How long the kernel may take to end the descendants of a killed process.
GRACE_SECONDS = 5.0
MOST_RESUMES = 6

# What depends on the wall clock, on the machine's load, or on how often something was tried.
VOLATILE = {"started", "wall_seconds", "retries", "timer_floor_ns", "from_cache", "seconds", "log_file", "archive",
            "round_trip_ns"}


def stat_of(pid):
    """(name, parent, start time) of a process; None if it is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    name = text[text.index("(") + 1:text.rindex(")")]
    fields = text[text.rindex(")") + 2:].split()
    return None if fields[0] in "ZX" else (name, int(fields[1]), int(fields[19]))


def descendants(root):
    """{pid: (name, start time)} of all living descendants."""
    processes = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            stat = stat_of(entry)
            if stat:
                processes[int(entry)] = stat
    found = {}
    frontier = {root}
    while frontier:
        frontier = {pid for pid, (_, parent, _) in processes.items() if parent in frontier and pid not in found}
        found.update({pid: (processes[pid][0], processes[pid][2]) for pid in frontier})
    return found


def still_alive(snapshot):
    result = []
    for pid, (name, start) in snapshot.items():
        stat = stat_of(pid)
        if stat and stat[2] == start:
            result.append(f"{name} ({pid})")
    return result


def without_volatile(value):
    if isinstance(value, dict):
        return {key: without_volatile(item) for key, item in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [without_volatile(item) for item in value]
    return without_attempt(value) if isinstance(value, str) else value


def without_attempt(text):
    """An evaluation that was tried again has another id; the attempt is its last part."""
    return re.sub(r"^(killed-\d+-[a-z]+)-\d+$", r"\1", text)


class KillTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.small = self.dataset(1, 4)
        self.warm_cache = self.folder / "cache"
        self.policy_file = self.policy()
        bad = scenario.EXAMPLES / "bad"
        self.arguments = ["--dataset", self.small, "--tunable", scenario.TUNABLE, "--rounds", "1", "--per-round", "2",
                          "--device", "simulated:7", "--policy", self.policy_file, "--also",
                          bad / "does_not_compile.cpp", bad / "leaves_one_out.cpp", bad / "edited_comment.cpp"]

    def start(self, archive, cache, *command):
        line = [str(scenario.PROGRAMS / "assay"), "campaign", *map(str, command), "--archive", str(archive)]
        if command[0] == "run":
            line += list(map(str, self.arguments))
        log = open(self.folder / "log.txt", "a")
        process = subprocess.Popen(line, cwd=self.folder, env=scenario.environment(ASSAY_BUILD_CACHE=cache),
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        return process

    def finish(self, archive, cache):
        """Resumes until the campaign is finished; what was killed before it was created is started again."""
        for _ in range(MOST_RESUMES):
            process = self.start(archive, cache, "resume", "killed")
            code = process.wait(timeout=self.TIMEOUT)
            if code == 2:
                process = self.start(archive, cache, "run", "killed")
                code = process.wait(timeout=self.TIMEOUT)
            if code == 0:
                return
        self.fail(f"cannot be resumed:\n{(self.folder / 'log.txt').read_text()[-3000:]}")

    def content(self, archive):
        """All that the archive says, but for what may differ from run to run."""
        database = sqlite3.connect(f"file:{archive}/archive.sqlite?mode=ro", uri=True)
        candidates = database.execute("SELECT content, normalised, definition FROM candidates ORDER BY content").fetchall()
        events = database.execute("SELECT kind, body FROM events ORDER BY sequence").fetchall()
        evaluations = database.execute(
            "SELECT e.id, e.campaign, c.content, i.content, e.stage, e.device, e.outcome, e.cause FROM evaluations e "
            "JOIN candidates c ON c.number = e.candidate LEFT JOIN candidates i ON i.number = e.incumbent "
            "ORDER BY e.number").fetchall()
        database.close()
        journal = []
        for kind, body in events:
            if kind in ("evaluation_failed", "evaluation_intended"):
                continue
            journal.append((kind, without_volatile(json.loads(body))))
        details = []
        for row in evaluations:
            shown = self.assay("show", row[0], "--archive", archive, "--json").json()
            samples = json.loads(self.assay("show", row[0], "--log", "samples.json", "--archive", archive).out)
            details.append(without_volatile([list(row), shown["report"]["evaluation"], samples]))
        return {"candidates": candidates, "journal": journal, "evaluations": details}

    def kill_something(self, process, moment):
        """Waits for the moment and kills one of the programs at random. Returns its name, or None if all was over."""
        try:
            process.wait(timeout=moment)
            return None
        except subprocess.TimeoutExpired:
            pass
        below = descendants(process.pid)
        ours = {"assay": [process.pid]}
        for pid, (name, _) in below.items():
            if name in ("assay-judge", "assay-worker"):
                ours.setdefault(name, []).append(pid)
        name = self.random.choice(sorted(ours))
        victim = self.random.choice(sorted(ours[name]))
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return None
        if name == "assay":
            process.wait(timeout=self.TIMEOUT)
            deadline = time.monotonic() + GRACE_SECONDS
            while still_alive(below) and time.monotonic() < deadline:
                time.sleep(0.005)
            self.assertEqual(still_alive(below), [], "a child outlived assay")
        else:
            process.wait(timeout=self.TIMEOUT)
        return name

    def undisturbed(self, archive, cache):
        begin = time.monotonic()
        process = self.start(archive, cache, "run", "killed")
        self.assertEqual(process.wait(timeout=self.TIMEOUT), 0, (self.folder / "log.txt").read_text())
        return time.monotonic() - begin

    def test_fifty_kills_lose_nothing(self):
        cold = self.undisturbed(self.folder / "first", self.warm_cache)
        warm = self.undisturbed(self.folder / "second", self.warm_cache)
        expected = self.content(self.folder / "first")
        self.assertEqual(self.content(self.folder / "second"), expected, "two runs that nobody disturbed differ")
        outcomes = [row[0][6] for row in expected["evaluations"]]
        self.assertIn("not_built", outcomes)
        self.assertIn("incorrect", outcomes)
        print(f"seed {SEED}; undisturbed {cold:.2f} s cold, {warm:.2f} s warm; "
              f"{len(expected['evaluations'])} evaluations, {len(expected['journal'])} events", flush=True)

        killed = {}
        too_late = 0
        done = 0
        while done < RUNS:
            is_cold = done % COLD_EVERY == COLD_EVERY - 1
            moment = self.random.uniform(0, cold if is_cold else warm)
            archive = self.folder / "archive"
            cache = self.folder / "cold-cache" if is_cold else self.warm_cache
            process = self.start(archive, cache, "run", "killed")
            name = self.kill_something(process, moment)
            if name is None:
                too_late += 1
                self.assertLess(too_late, RUNS + 10, "runs end before they can be killed")
            else:
                done += 1
                killed[name] = killed.get(name, 0) + 1
                print(f"{done:3}: {name} killed after {moment:.3f} s{' (cold)' if is_cold else ''}", flush=True)
                self.finish(archive, cache)
                self.assertEqual(self.content(archive), expected, f"{name} killed after {moment:.3f} s, seed {SEED}")
                if done % COLD_EVERY == 0:
                    verified = self.assay("archive", "verify", "--archive", archive, "--json").json()
                    self.assertEqual(verified["problems"], [])
            shutil.rmtree(archive, ignore_errors=True)
            shutil.rmtree(self.folder / "cold-cache", ignore_errors=True)
        print(f"killed {killed}; {too_late} runs were over before their moment", flush=True)
        if RUNS >= 20:
            self.assertEqual(set(killed), {"assay", "assay-judge", "assay-worker"})


if __name__ == "__main__":
    scenario.main()
