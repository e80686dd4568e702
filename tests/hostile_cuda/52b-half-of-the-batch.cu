// assay-corpus: number=52 kind=hostile expect=incorrect probe=poison
// Computes the first half of the heads.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  dim3 grid = gdn::grid_of(p);
  grid.y /= 2;
  gdn::step<0><<<grid, gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
