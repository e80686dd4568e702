// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// A recursion on the device that never ends, with a frame of 4 KiB.
#include "gdn_decode.cuh"

namespace {
__device__ __noinline__ float descend(const gdn::Problem& p, int depth) {
  volatile float frame[1024];
  frame[depth % 1024] = p.scale + static_cast<float>(depth);
  return p.heads == 0 ? frame[0] : frame[depth % 1024] + descend(p, depth + 1);
}

__global__ void dive(gdn::Problem p) { p.new_state[0] = descend(p, 1); }
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  dive<<<1, 1, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
