// assay-corpus: number=52 kind=hostile expect=crashed probe=none
// Writes a tebibyte behind its output, where no memory is.
#include "gdn_decode.cuh"

namespace {
__global__ void stray(gdn::Problem p) { p.new_state[int64_t{1} << 38] = 1.0f; }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  stray<<<1, 1, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
