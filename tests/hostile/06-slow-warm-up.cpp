// assay-corpus: number=6 kind=hostile expect=indistinguishable|not_better probe=none stage=gate
// Sleeps in its first two calls, so that a harness that adapts to them takes few samples. It must gain nothing.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  static int calls = 0;
  if (++calls <= 2) {
    usleep(20000);
  }
  gdn::compute(gdn::problem_of(call));
  return 0;
}
