// assay-corpus: number=53 kind=hostile expect=incorrect probe=output_check
// Adds 1 to one element of the new state.
#include "gdn_decode.cuh"

namespace {
__global__ void spoil(gdn::Problem p) { p.new_state[p.heads * gdn::kStateSize / 2 + 77] += 1.0f; }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  spoil<<<1, 1, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
