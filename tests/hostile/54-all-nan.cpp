// assay-corpus: number=54 kind=hostile expect=incorrect probe=output_check
// Fills the outputs with NaN, which is neither greater nor less than any tolerance.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  memset(p.output, 0xff, gdn::value_elements(p) * sizeof(uint16_t));
  memset(p.new_state, 0xff, gdn::state_elements(p) * sizeof(float));
  return 0;
}
