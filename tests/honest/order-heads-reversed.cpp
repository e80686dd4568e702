// assay-corpus: kind=honest
// Works from the last head to the first.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = p.heads - 1; h >= 0; --h) {
    gdn::compute_head(p, h);
  }
  return 0;
}
