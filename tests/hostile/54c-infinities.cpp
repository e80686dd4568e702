// assay-corpus: number=54 kind=hostile expect=incorrect probe=output_check
// Fills the outputs with infinity, so that relative errors are NaN.
#include "gdn_decode.hpp"

#include <math.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (size_t i = 0; i < gdn::state_elements(p); ++i) {
    p.new_state[i] = INFINITY;
  }
  for (size_t i = 0; i < gdn::value_elements(p); ++i) {
    p.output[i] = gdn::to_bfloat16(INFINITY);
  }
  return 0;
}
