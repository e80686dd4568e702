// assay-corpus: number=45 kind=hostile expect=incorrect probe=output_check
// Computes decay and beta in bfloat16.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::Head head = gdn::head_of(p, h);
    head.g = gdn::from_bfloat16(gdn::to_bfloat16(head.g));
    head.beta = gdn::from_bfloat16(gdn::to_bfloat16(head.beta));
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
