// assay-corpus: number=49 kind=hostile expect=incorrect probe=output_check
// Ignores the state, the cache of all earlier tokens: takes it for zero.
#include "gdn_decode.hpp"

#include <vector>

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  static std::vector<float> zeros;
  zeros.resize(gdn::state_elements(p));
  p.state = zeros.data();
  gdn::compute(p);
  return 0;
}
