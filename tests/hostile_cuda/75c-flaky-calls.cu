// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check samples=60
// One call in twelve leaves the last block of the first head out.
#include "gdn_decode.cuh"

namespace {
__global__ void sometimes(gdn::Problem p, bool all) {
  if (all || blockIdx.y != 0 || blockIdx.x != gdn::kBlocksPerHead - 1) {
    gdn::compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static unsigned calls = 0;
  const gdn::Problem p = gdn::problem_of(call);
  sometimes<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p, ++calls % 12 != 0);
  return gdn::status();
}
