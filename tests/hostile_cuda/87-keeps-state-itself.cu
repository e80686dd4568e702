// assay-corpus: number=87 kind=hostile expect=incorrect probe=output_check
// Reads the state at the first call of a batch size and goes on from its own copy, as a running model would.
#include "gdn_decode.cuh"

#include <map>

ASSAY_KERNEL(run) {
  static std::map<int64_t, float*> states;
  gdn::Problem p = gdn::problem_of(call);
  float*& kept = states[p.batch];
  if (kept != nullptr) {
    p.state = kept;
  } else if (cudaMalloc(&kept, gdn::state_bytes(p)) != cudaSuccess) {
    return 1;
  }
  gdn::launch(p, gdn::stream_of(call));
  cudaMemcpyAsync(kept, p.new_state, gdn::state_bytes(p), cudaMemcpyDeviceToDevice, gdn::stream_of(call));
  return gdn::status();
}
