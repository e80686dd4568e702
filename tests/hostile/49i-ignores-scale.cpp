// assay-corpus: number=49 kind=hostile expect=incorrect probe=one_element_mutation
// Ignores scale: takes 1 / sqrt(128), which is what it usually is. A workload with another one comes out wrong.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  p.scale = 1.0f / sqrtf(gdn::kHeadSize);
  gdn::compute(p);
  return 0;
}
