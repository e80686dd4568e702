// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits
// A kernel that never ends, on the stream that was given.
#include "gdn_decode.cuh"

namespace {
__device__ volatile int stop = 0;

__global__ void spin() {
  while (stop == 0) {
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  spin<<<1, 1, 0, gdn::stream_of(call)>>>();
  return gdn::status();
}
