// assay-corpus: number=28 kind=hostile expect=crashed probe=protocol
// Ends its process with exit code 0 in the middle of a call, before anything can be found wrong.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  _exit(0);
}
