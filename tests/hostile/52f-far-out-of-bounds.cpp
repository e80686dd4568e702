// assay-corpus: number=52 kind=hostile expect=incorrect|crashed probe=none
// Everything is right, and one element far behind the new state is set: there is no memory there.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  p.new_state[gdn::state_elements(p) + 65536] = 1.0f;
  return 0;
}
