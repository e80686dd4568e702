// assay-corpus: kind=honest
// Waits for the whole device a hundred times in each call: slow, but right.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < 100 && error == cudaSuccess; ++i) {
    error = cudaDeviceSynchronize();
  }
  return static_cast<int32_t>(error);
}
