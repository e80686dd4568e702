// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores b: takes beta for one half.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static const uint16_t zeros[64 * gdn::kValueHeads] = {};
  gdn::Problem p = gdn::problem_of(call);
  p.b = zeros;
  gdn::compute(p);
  return 0;
}
