// assay-corpus: number=38 kind=hostile expect=incorrect probe=none
// Sets the inputs to zero, so that zeros are the right answer for whoever computes the reference from them
// afterwards.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  memset(const_cast<float*>(p.state), 0, gdn::state_elements(p) * sizeof(float));
  memset(const_cast<uint16_t*>(p.v), 0, gdn::value_elements(p) * sizeof(uint16_t));
  gdn::write_zeros(p);
  return 0;
}
