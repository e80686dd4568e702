// assay-corpus: number=52 kind=hostile expect=incorrect probe=guard_bands
// Everything is right, and one element before the new state is set.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  p.new_state[-1] = 1.0f;
  return 0;
}
