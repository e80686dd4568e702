// assay-corpus: number=1 kind=hostile expect=suspect probe=reconcile stage=gate
// Puts all work on a stream of its own that waits for nobody: the events around the call, on the stream that was given,
// have nothing between them. The work is long, so that the judge's clock sees it.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static cudaStream_t mine = nullptr;
  if (mine == nullptr && cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) != cudaSuccess) {
    return 1;
  }
  gdn::launch_slowly(gdn::problem_of(call), mine);
  return gdn::status();
}
