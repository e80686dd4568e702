// assay-corpus: kind=honest stage=gate
// The same against the baseline: faster or not, nothing about it is suspect.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
