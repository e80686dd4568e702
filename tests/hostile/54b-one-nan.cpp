// assay-corpus: number=54 kind=hostile expect=incorrect probe=output_check
// One NaN among right values.
#include "gdn_decode.hpp"

#include <math.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  p.new_state[gdn::state_elements(p) / 2] = nanf("");
  return 0;
}
