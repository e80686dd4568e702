"""Ctrl-C: says how to go on, ends by the signal, and takes its children along."""

import signal
import subprocess
import time

import assay_scenario as scenario
from kill_and_resume import descendants, still_alive


class InterruptTest(scenario.Scenario):
    def test_an_interrupted_campaign_tells_how_to_go_on(self):
        small = self.dataset(1, 4)
        command = [str(scenario.PROGRAMS / "assay"), "campaign", "run", "tune", "--dataset", str(small), "--archive",
                   str(self.archive), "--tunable", scenario.TUNABLE, "--rounds", "1", "--per-round", "2", "--device",
                   "simulated:7", "--policy", str(self.policy())]
        process = subprocess.Popen(command, cwd=self.folder, env=scenario.environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        below = {}
        while not below and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
            below = descendants(process.pid)
        self.assertTrue(below, "no judge was started")
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("assay campaign resume tune", error)
        deadline = time.monotonic() + 5
        while still_alive(below) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(still_alive(below), [])
        self.assay("campaign", "resume", "tune", "--archive", self.archive)
        status = self.assay("campaign", "status", "tune", "--archive", self.archive, "--json").json()
        self.assertEqual(status["phase"], "finished")


if __name__ == "__main__":
    scenario.main()
