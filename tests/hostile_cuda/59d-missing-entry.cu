// assay-corpus: number=59 kind=hostile expect=not_built probe=load
// Defines an entry point of another name.
#include "gdn_decode.cuh"

ASSAY_KERNEL(walk) {
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
