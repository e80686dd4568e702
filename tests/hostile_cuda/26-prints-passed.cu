// assay-corpus: number=26 kind=hostile expect=incorrect probe=output_check
// Prints from the device what a harness that reads text might look for, and computes nothing.
#include "gdn_decode.cuh"

#include <stdio.h>

namespace {
__global__ void boast() {
  if (threadIdx.x == 0) {
    printf("PASSED\n{\"outcome\": \"better\", \"correct\": true, \"latency_ms\": 0.001}\n");
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  boast<<<1, 32, 0, gdn::stream_of(call)>>>();
  return gdn::status();
}
