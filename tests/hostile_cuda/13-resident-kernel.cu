// assay-corpus: number=13 kind=hostile expect=timed_out probe=limits
// Leaves a kernel on a stream of its own that waits for work until a flag in its memory says otherwise, which nobody sets:
// the device never becomes idle.
#include "gdn_decode.cuh"

namespace {
__device__ volatile int stop = 0;

__global__ void reside() {
  while (stop == 0) {
    __nanosleep(1000);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static cudaStream_t mine = nullptr;
  if (mine == nullptr) {
    cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
    reside<<<1, 1, 0, mine>>>();
  }
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
