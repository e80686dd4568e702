// assay-corpus: kind=honest stage=gate
// Several times faster than the baseline by honest means: no probe may doubt a real gain.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::compute_fast(gdn::problem_of(call));
  return 0;
}
