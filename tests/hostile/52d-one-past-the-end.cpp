// assay-corpus: number=52 kind=hostile expect=incorrect probe=guard_bands
// Everything is right, and one element after the end of the output is cleared.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  p.output[gdn::value_elements(p)] = 0;
  return 0;
}
