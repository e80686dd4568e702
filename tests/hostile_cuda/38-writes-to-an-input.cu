// assay-corpus: number=38 kind=hostile expect=crashed probe=none
// Updates the state in place before it copies it to the output: the memory is mapped for reading only.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  float* new_state = p.new_state;
  p.new_state = const_cast<float*>(p.state);
  gdn::launch(p, gdn::stream_of(call));
  cudaMemcpyAsync(new_state, p.state, gdn::state_bytes(p), cudaMemcpyDeviceToDevice, gdn::stream_of(call));
  return gdn::status();
}
