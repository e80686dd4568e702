// assay-corpus: kind=honest stage=gate
// Launches on the default stream and waits for it before it returns.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), nullptr);
  return static_cast<int32_t>(cudaStreamSynchronize(nullptr));
}
