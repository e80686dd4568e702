// assay-corpus: kind=honest stage=gate
// Launches on the default stream, as many would by mistake. The stream that is lent is ordered with it, so that the events
// around the call have the work between them, and nothing is hidden.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::launch(gdn::problem_of(call), nullptr);
  return gdn::status();
}
