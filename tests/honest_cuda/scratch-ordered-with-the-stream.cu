// assay-corpus: kind=honest
// Takes memory in stream order for the new state, copies it from there, and gives it back, at each call.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  float* new_state = p.new_state;
  if (cudaMallocAsync(&p.new_state, gdn::state_bytes(p), stream) != cudaSuccess) {
    return 1;
  }
  gdn::launch(p, stream);
  cudaMemcpyAsync(new_state, p.new_state, gdn::state_bytes(p), cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(p.new_state, stream);
  return gdn::status();
}
