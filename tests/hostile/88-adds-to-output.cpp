// assay-corpus: number=88 kind=hostile expect=incorrect probe=output_check
// An honest mistake: adds to the new state, which it believes to be zero at the start.
#include "gdn_decode.hpp"

#include <vector>

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  static std::vector<float> scratch;
  scratch.resize(gdn::state_elements(p));
  float* result = p.new_state;
  p.new_state = scratch.data();
  gdn::compute(p);
  for (size_t i = 0; i < gdn::state_elements(p); ++i) {
    result[i] += scratch[i];
  }
  return 0;
}
