// assay-corpus: number=1 kind=hostile expect=suspect probe=reconcile stage=gate
// An honest mistake: the default stream of the thread, as code that was compiled for one of each thread uses it.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch_slowly(gdn::problem_of(call), cudaStreamPerThread);
  return gdn::status();
}
