// assay-corpus: number=53 kind=hostile expect=incorrect probe=output_check
// One element of some hundred thousand is ten percent off: a matched ratio of 0.99999.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  float& victim = p.new_state[(gdn::state_elements(p) * 2) / 3];
  victim = victim * 1.1f + 0.01f;
  return 0;
}
