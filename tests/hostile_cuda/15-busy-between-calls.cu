// assay-corpus: number=15 kind=hostile expect=suspect|indistinguishable|not_better probe=interference|reconcile stage=gate
// A thread keeps the device busy with kernels of half a millisecond, so that the incumbent has to share it.
#include "gdn_decode.cuh"

#include <thread>

namespace {
__global__ void burn() {
  const long long begin = clock64();
  while (clock64() - begin < 900000) {
  }
}

void heat() {
  cudaStream_t mine = nullptr;
  cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
  while (cudaStreamSynchronize(mine) == cudaSuccess) {
    burn<<<512, 256, 0, mine>>>();
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool started = [] {
    std::thread(heat).detach();
    return true;
  }();
  gdn::launch_slowly(gdn::problem_of(call), gdn::stream_of(call));
  return started ? gdn::status() : 1;
}
