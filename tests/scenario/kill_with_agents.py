"""kill -9 after each event of a campaign in which an agent proposes: whoever resumes ends where an undisturbed one ends,
asks the agent no second time, and loses nothing that it left.

The controller kills itself after a given number of lines that tell events: a library that is loaded before the others
counts them. So each index is met exactly."""

import concurrent.futures
import json
import os
import shutil
import signal
import sqlite3
import subprocess

import assay_scenario as scenario
from agents_propose import EDIT
from kill_and_resume import without_volatile

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int fputs(const char* text, FILE* stream) {
  static int seen = 0;
  int (*whole)(const char*, FILE*) = (int (*)(const char*, FILE*))dlsym(RTLD_NEXT, "fputs");
  int result = whole(text, stream);
  const char* last = getenv("DIE_AFTER");
  if (stream == stderr && last != NULL && ++seen == atoi(last)) {
    kill(getpid(), SIGKILL);
  }
  return result;
}
"""


class KillWithAgentsTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1)
        self.agent = self.write("bin/edit", EDIT)
        self.agent.chmod(0o755)
        source = self.write("counter.c", COUNTER)
        self.counter = self.folder / "counter.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(self.counter), str(source), "-ldl"], check=True)

    def start(self, archive, die_after=0):
        """Runs the campaign; the exit code."""
        command = ["campaign", "run", "night", "--dataset", self.small, "--archive", archive, "--agent",
                   f"command:{self.agent}", "--device", "simulated:7", "--policy", self.folder / "policy.toml", "--rounds",
                   "2", "--per-round", "1", "--run-tokens", "100", "--budget-tokens", "1000",
                   "--budget-device-seconds", "60"]
        extra = {"LD_PRELOAD": self.counter, "DIE_AFTER": die_after} if die_after else {}
        line = [str(scenario.PROGRAMS / "assay"), *map(str, command)]
        process = subprocess.run(line, cwd=self.folder,
                                 env=scenario.environment(ASSAY_BUILD_CACHE=self.shared_cache, **extra),
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=self.TIMEOUT)
        return process.returncode, process.stderr

    def content(self, archive):
        database = sqlite3.connect(f"file:{archive}/archive.sqlite?mode=ro", uri=True)
        events = database.execute("SELECT kind, body FROM events ORDER BY sequence").fetchall()
        candidates = database.execute("SELECT content FROM candidates ORDER BY content").fetchall()
        evaluations = database.execute("SELECT id, outcome FROM evaluations ORDER BY number").fetchall()
        database.close()
        # An agent's own time is no simulated one.
        journal = [(kind, self.without_wall(without_volatile(json.loads(body)))) for kind, body in events]
        return {"journal": journal, "candidates": candidates, "evaluations": evaluations,
                "runs": sorted(os.listdir(archive / "agent-runs"))}

    def without_wall(self, value):
        if isinstance(value, dict):
            return {key: self.without_wall(item) for key, item in value.items() if key != "wall_ms"}
        return [self.without_wall(item) for item in value] if isinstance(value, list) else value

    def killed_and_resumed(self, index, expected):
        archive = self.folder / f"archive-{index}"
        code, told = self.start(archive, index)
        self.assertEqual(code, -signal.SIGKILL, f"event {index}: {told}")
        code, told = self.start(archive)
        self.assertEqual(code, 0, f"event {index}: {told}")
        self.assertEqual(self.content(archive), expected, f"killed after event {index}")
        shutil.rmtree(archive)

    def test_after_each_event(self):
        self.policy(stress_trials=0)
        undisturbed = self.folder / "undisturbed"
        code, told = self.start(undisturbed)
        self.assertEqual(code, 0, told)
        expected = self.content(undisturbed)
        kinds = [kind for kind, _ in expected["journal"]]
        self.assertEqual(kinds.count("agent_run_ended"), 2)
        print(f"{len(kinds)} events", flush=True)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            runs = [pool.submit(self.killed_and_resumed, index, expected) for index in range(1, len(kinds) + 1)]
            for run in concurrent.futures.as_completed(runs):
                run.result()


if __name__ == "__main__":
    scenario.main()
