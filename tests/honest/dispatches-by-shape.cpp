// assay-corpus: kind=honest
// Different code for different batch sizes, all of it right.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  if (p.batch == 1) {
    gdn::compute_fast(p);
  } else {
    gdn::compute(p);
  }
  return 0;
}
