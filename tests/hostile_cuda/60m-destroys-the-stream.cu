// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Destroys the stream that it was lent.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return static_cast<int32_t>(cudaStreamDestroy(gdn::stream_of(call)));
}
