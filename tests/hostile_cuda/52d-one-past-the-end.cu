// assay-corpus: number=52 kind=hostile expect=incorrect probe=guard_bands
// Writes one element behind the end of each output: the allocation is larger, so that no hardware objects.
#include "gdn_decode.cuh"

namespace {
__global__ void overrun(gdn::Problem p) {
  p.output[p.heads * gdn::kHeadSize] = 0x3f80;
  p.new_state[p.heads * gdn::kStateSize] = 1.0f;
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  overrun<<<1, 1, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
