// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Says itself that it failed.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 1;
}
