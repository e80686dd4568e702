// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits
// Waits for a flag that nobody sets.
#include "gdn_decode.hpp"

namespace {
volatile bool finished = false;
}

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  while (!finished) {
  }
  return 0;
}
