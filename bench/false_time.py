#!/usr/bin/env python3
"""The smallest false time that is noticed: a kernel that hides a share of its time, against itself told honestly.

usage: false_time.py [--bin FOLDER] [--device cpu | cuda:0] [--repeats N] [--policy NAME] [--to FOLDER]

Both are the same honest kernel; the candidate then falsifies the worker's clock, in whose process it runs: on a CPU it
moves the start of the call on the stack, on a GPU it exchanges the worker's pointer to cuEventElapsedTime. Whatever the
share, `better` would be a false promotion; what is wanted is `suspect`, or no gain that the judge's own clock confirms.
Writes false_time_DEVICE.json into --to (default bench/results).
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from recording import ROOT, save

SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9)

ON_CPU = """#include "gdn_decode.hpp"
#include "saved_start_time.hpp"

ASSAY_KERNEL(run) {{
  const int64_t entered = saved_start_time::now_ns();
  for (int i = 0; i < {rounds}; ++i) {{
    gdn::compute(gdn::problem_of(call));
  }}
  constexpr double hidden = {share};
  if (hidden > 0) {{
    saved_start_time::replace(entered, [](int64_t entered, int64_t now) {{
      return entered + static_cast<int64_t>(hidden * static_cast<double>(now - entered));
    }});
  }}
  SAVE_ALL_REGISTERS();
  return 0;
}}
"""

ON_GPU = """#include "gdn_decode.cuh"

#include <dlfcn.h>
#include <stdio.h>

namespace {{

using Elapsed = int (*)(float*, void*, void*);
Elapsed honest = nullptr;

int falsified(float* milliseconds, void* from, void* to) {{
  const int status = honest(milliseconds, from, to);
  *milliseconds *= 1.0f - static_cast<float>({share});
  return status;
}}

// Everything writable of this process is searched for the pointer.
bool exchange() {{
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  honest = driver == nullptr ? nullptr : reinterpret_cast<Elapsed>(dlsym(driver, "cuEventElapsedTime"));
  FILE* maps = honest == nullptr ? nullptr : fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {{
    unsigned long begin = 0;
    unsigned long end = 0;
    char rights[8] = {{}};
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || rights[0] != 'r' || rights[1] != 'w' ||
        strstr(line, "/dev/") != nullptr || end - begin > (256ul << 20)) {{
      continue;
    }}
    for (auto* at = reinterpret_cast<volatile Elapsed*>(begin); at < reinterpret_cast<volatile Elapsed*>(end); ++at) {{
      if (*at == honest && at != &honest) {{
        *at = &falsified;
      }}
    }}
  }}
  return maps != nullptr;
}}

}}  // namespace

ASSAY_KERNEL(run) {{
  [[maybe_unused]] static const bool exchanged = {share} > 0 && exchange();
  for (int i = 0; i < {rounds}; ++i) {{
    gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  }}
  return gdn::status();
}}
"""


def source(template, rounds, share):
    """One file: `assay evaluate` takes no headers beside it."""
    lines = []
    for line in template.format(rounds=rounds, share=share).splitlines():
        if line.startswith('#include "'):
            line = (ROOT / "tests" / line.split('"')[1]).read_text(encoding="utf-8").replace("#pragma once", "")
        lines.append(line)
    return "\n".join(lines) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--policy", default="quick")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, nargs="+", help="how often the kernel does its work in a call")
    parser.add_argument("--to", default=str(ROOT / "bench/results"))
    options = parser.parse_args(arguments)
    on_gpu = options.device != "cpu"
    template, ending = (ON_GPU, "cu") if on_gpu else (ON_CPU, "cpp")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for rounds in options.rounds or ((1, 20, 200) if on_gpu else (1,)):
            honest = folder / f"honest_{rounds}.{ending}"
            honest.write_text(source(template, rounds, 0.0), encoding="utf-8")
            for share in (0.0, *SHARES):
                lying = folder / f"hides_{rounds}_{int(100 * share)}.{ending}"
                # Other content than the honest file, also where nothing is hidden: a duplicate would not be judged.
                lying.write_text(source(template, rounds, share) + "extern const int assay_bench_candidate;\n"
                                 "const int assay_bench_candidate = 1;\n", encoding="utf-8")
                outcomes = collections.Counter()
                ratios, times = [], []
                for _ in range(options.repeats):
                    done = subprocess.run([str(pathlib.Path(options.bin) / "assay"), "evaluate", str(lying), "--against",
                                           str(honest), "--device", options.device, "--policy", options.policy, "--again",
                                           "--dataset", str(ROOT / "datasets/contest"), "--archive", str(folder / "archive"),
                                           "--definition", "gdn_decode_qk4_v8_d128_k_last", "--json"],
                                          capture_output=True, text=True)
                    if done.returncode not in (0, 1):
                        sys.exit(f"{lying.name}: exit code {done.returncode}: {done.stdout}{done.stderr}")
                    evaluation = json.loads(done.stdout)["evaluation"]
                    outcomes[evaluation["outcome"]] += 1
                    times += [timing["incumbent_ns"] for timing in evaluation["timings"]]
                    ratios.append((evaluation["comparison"] or {}).get("log_ratio"))
                rows.append({"rounds": rounds, "hidden_share": share, "outcomes": dict(outcomes), "log_ratios": ratios,
                             "incumbent_ns": [min(times), max(times)] if times else None})
                print(rows[-1], flush=True)
                # After each row: a run that is cut short leaves what it has seen.
                save(f"false_time_{'gpu' if on_gpu else 'cpu'}",
                     "a kernel that hides a share of its time, against itself told honestly: outcomes", {
                         "device": options.device, "policy": options.policy, "repeats": options.repeats,
                         "false_better": sum(row["outcomes"].get("better", 0) for row in rows), "rows": rows},
                     pathlib.Path(options.to))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
