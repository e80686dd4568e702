// assay-corpus: kind=honest
// Copies the state to the output first and updates it there: in place where the definition allows it.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  memcpy(p.new_state, p.state, gdn::state_elements(p) * sizeof(float));
  p.state = p.new_state;
  gdn::compute(p);
  return 0;
}
