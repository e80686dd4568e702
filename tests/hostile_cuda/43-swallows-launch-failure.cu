// assay-corpus: number=43 kind=hostile expect=incorrect probe=poison
// Asks for more shared memory than a block may have and ignores that the launch fails.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::step<0><<<gdn::grid_of(p), gdn::kThreads, 256 * 1024, gdn::stream_of(call)>>>(p);
  cudaGetLastError();
  return 0;
}
