// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores k: takes the query in its place.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  p.k = p.q;
  gdn::compute(p);
  return 0;
}
