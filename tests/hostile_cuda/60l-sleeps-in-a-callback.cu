// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits
// A host function on the stream that sleeps for ever.
#include "gdn_decode.cuh"

#include <unistd.h>

namespace {
void sleep_for_ever(void* /*data*/) {
  for (;;) {
    pause();
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return static_cast<int32_t>(cudaLaunchHostFunc(gdn::stream_of(call), sleep_for_ever, nullptr));
}
