// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Destroys the context, and with it the worker's stream, events and mappings.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  cudaDeviceReset();
  return 0;
}
