// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores a: takes it for zero.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static const uint16_t zeros[64 * gdn::kValueHeads] = {};
  gdn::Problem p = gdn::problem_of(call);
  p.a = zeros;
  gdn::compute(p);
  return 0;
}
