// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Begins to capture the stream that it was lent, and returns: nothing that is put on it is executed.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const cudaError_t error = cudaStreamBeginCapture(gdn::stream_of(call), cudaStreamCaptureModeRelaxed);
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return static_cast<int32_t>(error);
}
