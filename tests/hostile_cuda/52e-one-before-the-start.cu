// assay-corpus: number=52 kind=hostile expect=incorrect probe=guard_bands
// Writes one element before the beginning of the new state.
#include "gdn_decode.cuh"

namespace {
__global__ void underrun(gdn::Problem p) { p.new_state[-1] = 1.0f; }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  underrun<<<1, 1, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
