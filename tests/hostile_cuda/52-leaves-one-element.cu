// assay-corpus: number=52 kind=hostile expect=incorrect probe=poison
// Computes elsewhere and copies all but the last element of the new state.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static float* elsewhere = nullptr;
  static size_t bytes = 0;
  gdn::Problem p = gdn::problem_of(call);
  if (gdn::state_bytes(p) > bytes) {
    cudaFree(elsewhere);
    bytes = gdn::state_bytes(p);
    if (cudaMalloc(&elsewhere, bytes) != cudaSuccess) {
      return 1;
    }
  }
  float* new_state = p.new_state;
  p.new_state = elsewhere;
  gdn::launch(p, gdn::stream_of(call));
  cudaMemcpyAsync(new_state, elsewhere, gdn::state_bytes(p) - sizeof(float), cudaMemcpyDeviceToDevice,
                  gdn::stream_of(call));
  return gdn::status();
}
