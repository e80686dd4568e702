// assay-corpus: number=52 kind=hostile expect=incorrect probe=poison
// Computes the first half of the sequences only.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  p.heads = (p.heads + 1) / 2;
  gdn::compute(p);
  return 0;
}
