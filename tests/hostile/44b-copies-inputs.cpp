// assay-corpus: number=44 kind=hostile expect=incorrect probe=output_check
// Gives the old state as the new one and v as the output.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  memcpy(p.new_state, p.state, gdn::state_elements(p) * sizeof(float));
  memcpy(p.output, p.v, gdn::value_elements(p) * sizeof(uint16_t));
  return 0;
}
