"""kill -9 of any of the three programs at any moment loses nothing that was finished: a campaign that was killed and
resumed ends with the same archive content as one that was left alone, and no child outlives `assay`.

On a simulated clock, so that the samples can be compared too. The seed of the moments is printed; set ASSAY_KILL_SEED
to repeat a run and ASSAY_KILL_RUNS for more or fewer of them."""

import concurrent.futures
import dataclasses
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

import assay_scenario as scenario

PROGRAMS = ("assay", "assay-judge", "assay-worker")
RUNS = int(os.environ.get("ASSAY_KILL_RUNS", "50"))
SEED = int(os.environ.get("ASSAY_KILL_SEED", str(random.SystemRandom().randrange(1 << 32))))
# One of so many runs starts with an empty build cache, so that compilers are killed too: of 50 one for each program.
COLD_EVERY = 16
# One of so many makes difficult inputs and a chain of calls before each session, so that these are killed too.
THOROUGH_EVERY = 5
# How long the kernel may take to end the descendants of a killed process.
GRACE_SECONDS = 5.0
MOST_RESUMES = 6
# A moment may lie after the end of its run; then another one is drawn.
MOST_TOO_LATE = 20

# What depends on the wall clock, on the machine's load, or on how often something was tried.
VOLATILE = {"started", "wall_seconds", "retries", "timer_floor_ns", "from_cache", "seconds", "log_file", "archive",
            "round_trip_ns", "phases"}


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


@dataclasses.dataclass
class Kind:
    """How a campaign is run, and what one that nobody disturbed took and left."""

    name: str
    arguments: list
    cache: Path
    seconds: float = 0
    expected: dict = dataclasses.field(default_factory=dict)

    @property
    def is_cold(self):
        return self.name == "cold"


class KillTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1, 1)
        self.lock = threading.Lock()
        self.known_samples = {}

    def arguments(self, is_thorough):
        bad = scenario.EXAMPLES / "bad"
        policy = self.policy("policy", injections="null_rate = 1\nslower_rate = 1", stress_trials=int(is_thorough))
        policy = policy.rename(self.folder / f"{'thorough' if is_thorough else 'usual'}.toml")
        return ["--dataset", self.small, "--tunable", scenario.TUNABLE, "--rounds", "1", "--per-round", "2", "--device",
                "simulated:7", "--policy", policy, "--also", bad / "does_not_compile.cpp", bad / "leaves_one_out.cpp",
                bad / "edited_comment.cpp"]

    def start(self, kind, archive, *command):
        line = [str(scenario.PROGRAMS / "assay"), "campaign", *map(str, command), "--archive", str(archive)]
        if command[0] == "run":
            line += list(map(str, kind.arguments))
        with open(f"{archive}.log", "a") as log:
            return subprocess.Popen(line, cwd=self.folder, env=scenario.environment(ASSAY_BUILD_CACHE=kind.cache),
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self, archive):
        return Path(f"{archive}.log").read_text()[-3000:]

    def undisturbed(self, kind, archive):
        """How long it takes, and what the archive holds then."""
        begin = time.monotonic()
        process = self.start(kind, archive, "run", "killed")
        self.assertEqual(process.wait(timeout=self.TIMEOUT), 0, self.log(archive))
        return time.monotonic() - begin, self.content(archive)

    def finish(self, kind, archive):
        """Resumes until the campaign is finished; one that was killed before it was created is started again."""
        for _ in range(MOST_RESUMES):
            code = self.start(kind, archive, "resume", "killed").wait(timeout=self.TIMEOUT)
            if code == 2:
                code = self.start(kind, archive, "run", "killed").wait(timeout=self.TIMEOUT)
            if code == 0:
                return
        self.fail(f"cannot be resumed:\n{self.log(archive)}")

    def content(self, archive):
        """All that the archive says, but for what may differ from run to run."""
        database = sqlite3.connect(f"file:{archive}/archive.sqlite?mode=ro", uri=True)
        candidates = database.execute("SELECT content, normalised, definition FROM candidates ORDER BY content").fetchall()
        events = database.execute("SELECT kind, body FROM events ORDER BY sequence").fetchall()
        evaluations = database.execute(
            "SELECT e.id, e.campaign, c.content, i.content, e.stage, e.device, e.outcome, e.cause FROM evaluations e "
            "JOIN candidates c ON c.number = e.candidate LEFT JOIN candidates i ON i.number = e.incumbent "
            "ORDER BY e.number").fetchall()
        samples = dict(database.execute("SELECT e.id, f.blob FROM evaluations e JOIN bundle_files f "
                                        "ON f.evaluation = e.number WHERE f.name = 'samples.json'"))
        # The digests cover times of day; `archive verify` recomputes them. An entry's number moves where attempts failed.
        decisions = database.execute(
            "SELECT d.number, d.campaign, e.kind, d.chained, d.evidence IS NULL FROM decisions d JOIN events e "
            "ON e.campaign = d.campaign AND e.sequence = d.sequence ORDER BY d.number").fetchall()
        database.close()
        # An intent or a failed attempt is there as often as it was tried.
        journal = [(kind, without_volatile(json.loads(body))) for kind, body in events
                   if kind not in ("evaluation_failed", "evaluation_intended")]
        details = []
        for row in evaluations:
            shown = self.assay("show", row[0], "--archive", archive, "--json").json()
            details.append(without_volatile([list(row), shown["report"]["evaluation"],
                                             self.samples(archive, row[0], samples[row[0]])]))
        return {"candidates": candidates, "journal": journal, "evaluations": details, "decisions": decisions}

    def samples(self, archive, evaluation, digest):
        """Read once for each digest: that a blob is what its name says, `archive verify` shows for each archive."""
        with self.lock:
            known = self.known_samples.get(digest)
        if known is None:
            known = json.loads(self.assay("show", evaluation, "--log", "samples.json", "--archive", archive).out)
            with self.lock:
                self.known_samples[digest] = known
        return known

    def kill_something(self, process, name, moment, chance):
        """Waits for the moment, then for a process of this name, and kills it. False if the run ended before."""
        try:
            process.wait(timeout=moment)
            return False
        except subprocess.TimeoutExpired:
            pass
        while True:
            below = descendants(process.pid)
            ours = [process.pid] if name == "assay" else [pid for pid, (its, _) in below.items() if its == name]
            if ours:
                break
            if process.poll() is not None:
                return False
        try:
            os.kill(chance.choice(sorted(ours)), signal.SIGKILL)
        except ProcessLookupError:
            process.wait(timeout=self.TIMEOUT)
            return False
        process.wait(timeout=self.TIMEOUT)
        if name == "assay":
            deadline = time.monotonic() + GRACE_SECONDS
            while still_alive(below) and time.monotonic() < deadline:
                time.sleep(0.005)
            self.assertEqual(still_alive(below), [], "a child outlived assay")
        return True

    def killed_and_resumed(self, number, kind):
        """One run that is killed once. The three programs take turns."""
        chance = random.Random(f"{SEED}-{number}")
        name = PROGRAMS[number % len(PROGRAMS)]
        archive = self.folder / f"archive-{number}"
        if kind.is_cold:
            kind = dataclasses.replace(kind, cache=self.folder / f"cache-{number}")
        for _ in range(MOST_TOO_LATE):
            moment = chance.uniform(0, kind.seconds)
            if self.kill_something(self.start(kind, archive, "run", "killed"), name, moment, chance):
                break
            shutil.rmtree(archive)
        else:
            self.fail("the runs end before they can be killed")
        what = f"{number:3}: {name} killed after {moment:.3f} s ({kind.name})"
        self.finish(kind, archive)
        self.assertEqual(self.content(archive), kind.expected, f"{what}, seed {SEED}")
        problems = self.assay("archive", "verify", "--archive", archive, "--json").json()["problems"]
        self.assertEqual(problems, [], what)
        shutil.rmtree(archive)
        if kind.is_cold:
            shutil.rmtree(kind.cache, ignore_errors=True)
        print(what, flush=True)

    def kinds(self):
        """The three kinds of runs by their names, each once undisturbed."""
        usual, thorough = self.arguments(is_thorough=False), self.arguments(is_thorough=True)
        kinds = {name: Kind(name, arguments, self.folder / "cache")
                 for name, arguments in (("cold", usual), ("usual", usual), ("thorough", thorough))}
        for kind in kinds.values():
            kind.seconds, kind.expected = self.undisturbed(kind, self.folder / kind.name)
            outcomes = [row[0][6] for row in kind.expected["evaluations"]]
            self.assertIn("not_built", outcomes)
            self.assertIn("incorrect", outcomes)
            self.assertIn("injection_gated", [event for event, _ in kind.expected["journal"]])
            print(f"undisturbed and {kind.name}: {kind.seconds:.2f} s; {len(outcomes)} evaluations, "
                  f"{len(kind.expected['journal'])} events", flush=True)
        self.assertEqual(kinds["cold"].expected, kinds["usual"].expected, "two runs that nobody disturbed differ")
        self.assertNotEqual(kinds["thorough"].expected, kinds["usual"].expected)
        return kinds

    def kind_of(self, number):
        if number % COLD_EVERY == COLD_EVERY - 1:
            return "cold"
        return "thorough" if number % THOROUGH_EVERY == THOROUGH_EVERY - 1 else "usual"

    def test_kills_lose_nothing(self):
        print(f"seed {SEED}", flush=True)
        kinds = self.kinds()
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            runs = [pool.submit(self.killed_and_resumed, number, kinds[self.kind_of(number)]) for number in range(RUNS)]
            try:
                for run in concurrent.futures.as_completed(runs):
                    run.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


if __name__ == "__main__":
    scenario.main()
