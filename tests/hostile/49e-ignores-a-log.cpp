// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores A_log: takes its mean.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static const float means[gdn::kValueHeads] = {1.9f, 1.9f, 1.9f, 1.9f, 1.9f, 1.9f, 1.9f, 1.9f};
  gdn::Problem p = gdn::problem_of(call);
  p.a_log = means;
  gdn::compute(p);
  return 0;
}
