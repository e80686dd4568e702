// assay-corpus: number=53 kind=hostile expect=incorrect probe=output_check
// Leaves out one row in a hundred, which a ratio of 0.99 forgives.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::write_zeros(p);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      if (i % 100 != 7) {
        gdn::compute_row(p, head, h, i);
      }
    }
  }
  return 0;
}
