// assay-corpus: number=45 kind=hostile expect=incorrect probe=output_check
// Rounds the new state to half precision on the way: right to three digits, where the contract is float32.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  for (size_t i = 0; i < gdn::state_elements(p); ++i) {
    p.new_state[i] = static_cast<float>(static_cast<_Float16>(p.new_state[i]));
  }
  return 0;
}
