// assay-corpus: number=52 kind=hostile expect=incorrect probe=poison
// Writes all elements but the last of the new state.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  float* last = p.new_state + gdn::state_elements(p) - 1;
  const float before = *last;
  gdn::compute(p);
  *last = before;
  return 0;
}
