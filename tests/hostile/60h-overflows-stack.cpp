// assay-corpus: number=60 kind=hostile expect=crashed probe=limits
// Calls itself until there is no stack left.
#include "gdn_decode.hpp"

namespace {
__attribute__((noinline)) int dive(volatile int* above) {
  volatile int here[256];
  here[0] = above[0] + 1;
  return dive(here) + here[0];
}
}  // namespace

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  volatile int start[1] = {0};
  return dive(start);
}
