// assay-corpus: number=54 kind=hostile expect=incorrect probe=output_check
// Fills both outputs with NaN, which compares as unequal and so as not larger than any tolerance.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  cudaMemsetAsync(p.output, 0xff, gdn::output_bytes(p), gdn::stream_of(call));
  cudaMemsetAsync(p.new_state, 0xff, gdn::state_bytes(p), gdn::stream_of(call));
  return gdn::status();
}
