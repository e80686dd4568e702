// assay-corpus: number=47 kind=hostile expect=incorrect probe=output_check
// Looks at the first elements of the state: only where they are large does it take the exact path.
#include "gdn_decode.hpp"

#include <math.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  float largest = 0.0f;
  for (int j = 0; j < 64; ++j) {
    largest = fmaxf(largest, fabsf(p.state[j]));
  }
  gdn::compute(p);
  if (largest < 2.0f) {
    for (size_t i = 0; i < gdn::state_elements(p); ++i) {
      p.new_state[i] = gdn::from_bfloat16(gdn::to_bfloat16(p.new_state[i]));
    }
  }
  return 0;
}
