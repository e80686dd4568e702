// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// A host function on the stream that ends the process, from a thread of the driver.
#include "gdn_decode.cuh"

#include <stdlib.h>

namespace {
void end_all(void* /*data*/) { abort(); }
}  // namespace

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return static_cast<int32_t>(cudaLaunchHostFunc(gdn::stream_of(call), end_all, nullptr));
}
