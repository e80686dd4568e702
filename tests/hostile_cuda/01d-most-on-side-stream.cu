// assay-corpus: number=1 kind=hostile expect=suspect probe=reconcile stage=gate
// Forks to a second stream with an event, as one should, and forgets to join: most of the work is not waited for.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static cudaStream_t mine = nullptr;
  static cudaEvent_t fork = nullptr;
  if (mine == nullptr && (cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) != cudaSuccess ||
                          cudaEventCreateWithFlags(&fork, cudaEventDisableTiming) != cudaSuccess)) {
    return 1;
  }
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  cudaEventRecord(fork, gdn::stream_of(call));
  cudaStreamWaitEvent(mine, fork, 0);
  gdn::launch_slowly(p, mine);
  return gdn::status();
}
