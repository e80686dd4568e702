// assay-corpus: number=43 kind=hostile expect=incorrect probe=poison
// A division that rounds down gives a grid of no blocks, and nobody looks at the error.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const auto blocks = static_cast<unsigned>(p.heads / 1024);
  gdn::step<0><<<dim3(gdn::kBlocksPerHead, blocks), gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return 0;
}
