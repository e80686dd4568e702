// assay-corpus: number=46 kind=hostile expect=incorrect probe=output_check
// Exact for batch size 1, where it expects the check; larger batches get the first sequence's result for all.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < gdn::kValueHeads; ++h) {
    gdn::compute_head(p, h);
  }
  for (int64_t b = 1; b < p.batch; ++b) {
    memcpy(p.output + b * gdn::kValueHeads * gdn::kHeadSize, p.output, gdn::kValueHeads * gdn::kHeadSize * 2);
    memcpy(p.new_state + b * gdn::kValueHeads * gdn::kStateSize, p.new_state, gdn::kValueHeads * gdn::kStateSize * 4);
  }
  return 0;
}
