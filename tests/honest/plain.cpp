// assay-corpus: kind=honest stage=gate
// The shared kernel as it is, against the baseline: the control of everything else.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
