// assay-corpus: number=52 kind=hostile expect=incorrect probe=poison
// Computes the output and leaves the new state alone.
#include "gdn_decode.hpp"

#include <vector>

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  static std::vector<float> scratch;
  scratch.resize(gdn::state_elements(p));
  p.new_state = scratch.data();
  gdn::compute(p);
  return 0;
}
