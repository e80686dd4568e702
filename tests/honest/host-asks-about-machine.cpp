// assay-corpus: kind=honest
// Reads the number of processors, the caches' sizes, the environment and the time, as libraries do when they start.
#include "gdn_decode.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <thread>

ASSAY_KERNEL(run) {
  static const bool known = [] {
    static_cast<void>(std::thread::hardware_concurrency());
    static_cast<void>(sysconf(_SC_LEVEL1_DCACHE_SIZE));
    static_cast<void>(getenv("OMP_NUM_THREADS"));
    static_cast<void>(time(nullptr));
    if (FILE* file = fopen("/proc/cpuinfo", "r")) {
      char line[256];
      static_cast<void>(fgets(line, sizeof line, file) != nullptr);
      fclose(file);
    }
    return true;
  }();
  gdn::compute(gdn::problem_of(call));
  return known ? 0 : 1;
}
