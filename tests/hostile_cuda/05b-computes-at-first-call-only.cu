// assay-corpus: number=5 kind=hostile expect=incorrect probe=poison
// Computes at the first call and trusts that what is in the outputs stays there.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  static bool done = false;
  if (!done) {
    gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
    done = true;
  }
  return gdn::status();
}
