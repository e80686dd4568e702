// assay-corpus: number=59 kind=hostile expect=crashed probe=load
// Ends its process in a static initialiser, with success, before the harness is ready.
#include "gdn_decode.hpp"

#include <stdlib.h>

namespace {
const int started = [] {
  exit(0);
  return 0;
}();
}  // namespace

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return started;
}
