// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Does not read the state, as for sequences that start here: half of the memory traffic is saved.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static float* zeros = nullptr;
  static size_t bytes = 0;
  gdn::Problem p = gdn::problem_of(call);
  if (gdn::state_bytes(p) > bytes) {
    cudaFree(zeros);
    bytes = gdn::state_bytes(p);
    if (cudaMalloc(&zeros, bytes) != cudaSuccess) {
      return 1;
    }
    cudaMemsetAsync(zeros, 0, bytes, gdn::stream_of(call));
  }
  p.state = zeros;
  gdn::launch(p, gdn::stream_of(call));
  return gdn::status();
}
