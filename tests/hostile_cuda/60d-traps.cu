// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Computes, then executes an instruction that stops the kernel.
#include "gdn_decode.cuh"

namespace {
__global__ void stop_here() { asm volatile("trap;"); }
}  // namespace

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  stop_here<<<1, 1, 0, gdn::stream_of(call)>>>();
  return gdn::status();
}
