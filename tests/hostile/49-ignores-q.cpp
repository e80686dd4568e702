// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores q: takes the key in its place.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  p.q = p.k;
  gdn::compute(p);
  return 0;
}
