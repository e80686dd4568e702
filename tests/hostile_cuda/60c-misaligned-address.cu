// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Writes four floats at once to an address that is aligned to one.
#include "gdn_decode.cuh"

namespace {
__global__ void askew(float* at) { *reinterpret_cast<float4*>(at + 1) = make_float4(1, 2, 3, 4); }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  askew<<<1, 1, 0, gdn::stream_of(call)>>>(p.new_state);
  return gdn::status();
}
