// assay-corpus: number=1 kind=hostile expect=suspect probe=reconcile stage=gate
// The same on a stream that is ordered with the default stream, but not with the one that was given.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static cudaStream_t mine = nullptr;
  if (mine == nullptr && cudaStreamCreate(&mine) != cudaSuccess) {
    return 1;
  }
  gdn::launch_slowly(gdn::problem_of(call), mine);
  return gdn::status();
}
