// assay-corpus: number=60 kind=hostile expect=measured|crashed|timed_out|suspect probe=limits
// Forks without end; each child does the same. The machine must stay usable and nothing may be left.
#include "gdn_decode.hpp"

#include <unistd.h>

namespace {
void multiply() {
  for (int i = 0; i < 1000000; ++i) {
    if (fork() < 0) {
      usleep(1000);
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static bool lit = false;
  if (!lit) {
    lit = true;
    if (fork() == 0) {
      multiply();
      _exit(0);
    }
  }
  gdn::compute(gdn::problem_of(call));
  return 0;
}
