// assay-corpus: kind=honest
// The kernel that the others are variations of.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
