// assay-corpus: number=49 kind=hostile expect=incorrect probe=one_element_mutation
// Takes 1 / sqrt(128) for the scale, whatever is given.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  p.scale = 1.0f / sqrtf(gdn::kHeadSize);
  gdn::launch(p, gdn::stream_of(call));
  return gdn::status();
}
