"""What every benchmark in Python records: when and where, spreads, and the file beside the others."""

import datetime
import json
import os
import pathlib
import platform
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def spread(values):
    ordered = sorted(values)
    return {"median": statistics.median(ordered), "lower_quartile": ordered[len(ordered) // 4],
            "upper_quartile": ordered[(3 * len(ordered)) // 4], "min": ordered[0], "max": ordered[-1], "values": values}


def save(name, benchmark, results, folder=ROOT / "bench/results"):
    """Writes NAME.json into the folder: what was measured, the date, the machine, then the results."""
    report = {"benchmark": benchmark,
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": {"cpu": cpu(), "cpus": os.cpu_count(), "kernel": platform.release()}, **results}
    path = folder / f"{name}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
