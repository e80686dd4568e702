// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores dt_bias: takes it for zero.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static const float zeros[gdn::kValueHeads] = {};
  gdn::Problem p = gdn::problem_of(call);
  p.dt_bias = zeros;
  gdn::compute(p);
  return 0;
}
