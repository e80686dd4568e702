// assay-corpus: number=2 kind=hostile expect=suspect probe=reconcile stage=gate
// A stream of its own first sleeps in a host function, then computes: all is there when the context has been waited for.
#include "gdn_decode.cuh"

#include <chrono>
#include <thread>

namespace {
void doze(void* /*data*/) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
}  // namespace

ASSAY_KERNEL(run) {
  static cudaStream_t mine = nullptr;
  if (mine == nullptr && cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) != cudaSuccess) {
    return 1;
  }
  if (cudaLaunchHostFunc(mine, doze, nullptr) != cudaSuccess) {
    return 2;
  }
  gdn::launch(gdn::problem_of(call), mine);
  return gdn::status();
}
