// assay-corpus: number=60 kind=hostile expect=measured probe=limits
// Prints thousands of lines from the device at each call: the log keeps what it keeps.
#include "gdn_decode.cuh"

#include <stdio.h>

namespace {
__global__ void babble() { printf("thread %u of block %u has nothing to say\n", threadIdx.x, blockIdx.x); }
}  // namespace

ASSAY_KERNEL(run) {
  babble<<<64, 128, 0, gdn::stream_of(call)>>>();
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
