// assay-corpus: number=15 kind=hostile expect=suspect|indistinguishable|not_better probe=interference stage=gate
// The same with a process that hammers the memory: it burns no time of the worker itself.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  static const pid_t child = [] {
    const pid_t pid = fork();
    if (pid == 0) {
      constexpr size_t kSize = size_t{64} << 20;
      char* area = new char[kSize];
      for (char value = 0;; ++value) {
        memset(area, value, kSize);
        __asm__ volatile("" ::"r"(area) : "memory");
      }
    }
    return pid;
  }();
  if (child < 0) {
    return 2;
  }
  gdn::compute(gdn::problem_of(call));
  return 0;
}
