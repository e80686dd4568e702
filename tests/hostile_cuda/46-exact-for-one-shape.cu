// assay-corpus: number=46 kind=hostile expect=incorrect probe=output_check
// Right for a batch of one; for larger ones all sequences get the first one's result.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  const int64_t batch = p.batch;
  p.heads = gdn::kValueHeads;
  for (int64_t i = 0; i < batch; ++i) {
    gdn::launch(p, gdn::stream_of(call));
    p.output += gdn::kValueHeads * gdn::kHeadSize;
    p.new_state += gdn::kValueHeads * gdn::kStateSize;
  }
  return gdn::status();
}
