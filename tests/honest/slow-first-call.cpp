// assay-corpus: kind=honest stage=gate
// Needs 100 ms to get ready in its first call.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  static const bool ready = [] {
    usleep(100000);
    return true;
  }();
  gdn::compute(gdn::problem_of(call));
  return ready ? 0 : 1;
}
