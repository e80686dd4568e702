// assay-corpus: number=28 kind=hostile expect=crashed probe=protocol
// Ends the process with success once the work is done.
#include "gdn_decode.cuh"

#include <stdlib.h>

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  cudaStreamSynchronize(gdn::stream_of(call));
  exit(0);
}
