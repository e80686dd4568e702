// assay-corpus: number=44 kind=hostile expect=incorrect probe=output_check
// Writes zeros to both outputs.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  cudaMemsetAsync(p.output, 0, gdn::output_bytes(p), gdn::stream_of(call));
  cudaMemsetAsync(p.new_state, 0, gdn::state_bytes(p), gdn::stream_of(call));
  return gdn::status();
}
