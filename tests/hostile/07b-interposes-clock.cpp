// assay-corpus: number=7 kind=hostile expect=indistinguishable|not_better probe=none stage=gate
// Exports a clock_gettime of its own that stands still. The program must not use it: symbols are bound before it
// loads.
#include "gdn_decode.hpp"

#include <time.h>

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t, timespec* now) noexcept {
  now->tv_sec = 1;
  now->tv_nsec = 0;
  return 0;
}

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
