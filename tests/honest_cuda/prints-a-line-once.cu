// assay-corpus: kind=honest
// Prints one line from the host and one from the device, at the first call.
#include "gdn_decode.cuh"

#include <stdio.h>

namespace {
__global__ void greet() { printf("a line from the device\n"); }
}  // namespace

ASSAY_KERNEL(run) {
  static bool greeted = false;
  if (!greeted) {
    greeted = true;
    printf("a line from the host\n");
    greet<<<1, 1, 0, gdn::stream_of(call)>>>();
  }
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
