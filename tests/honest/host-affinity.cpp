// assay-corpus: kind=honest
// Asks for the processors that it may use and keeps to the last of them.
#include "gdn_decode.hpp"

#include <sched.h>

ASSAY_KERNEL(run) {
  static const bool placed = [] {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
      return false;
    }
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      last = CPU_ISSET(static_cast<size_t>(cpu), &allowed) ? cpu : last;
    }
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    CPU_SET(static_cast<size_t>(last), &chosen);
    return sched_setaffinity(0, sizeof chosen, &chosen) == 0;
  }();
  static_cast<void>(placed);  // Where it is not allowed, it runs wherever it is put.
  gdn::compute(gdn::problem_of(call));
  return 0;
}
