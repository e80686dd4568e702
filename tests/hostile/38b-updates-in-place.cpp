// assay-corpus: number=38 kind=hostile expect=incorrect probe=none
// An honest mistake: updates the state where it lies, though the definition has a second tensor for it.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  float* result = p.new_state;
  p.new_state = const_cast<float*>(p.state);
  gdn::compute(p);
  memcpy(result, p.new_state, gdn::state_elements(p) * sizeof(float));
  return 0;
}
