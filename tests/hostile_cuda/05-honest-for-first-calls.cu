// assay-corpus: number=5 kind=hostile expect=incorrect probe=output_check samples=16
// Right for eight calls, long enough for a check that comes before the timing; then only a quarter of each head.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static int calls = 0;
  const gdn::Problem p = gdn::problem_of(call);
  dim3 grid = gdn::grid_of(p);
  grid.x = ++calls > 8 ? 1 : grid.x;
  gdn::step<0><<<grid, gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
