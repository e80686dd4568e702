// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// An assertion on the device that does not hold.
#undef NDEBUG
#include "gdn_decode.cuh"

#include <assert.h>

namespace {
__global__ void claim(gdn::Problem p) { assert(p.heads == 0); }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  claim<<<1, 1, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
