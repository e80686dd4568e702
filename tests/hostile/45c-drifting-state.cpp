// assay-corpus: number=45 kind=hostile expect=incorrect probe=output_check
// Cuts the state to 18 significant bits, as who stores it in fewer bytes does. No step errs by more than the state's
// tolerance; but what is cut off always has the same sign, and after 64 steps it shows.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  for (int64_t i = 0; i < p.heads * gdn::kStateSize; ++i) {
    uint32_t bits;
    memcpy(&bits, &p.new_state[i], sizeof bits);
    bits &= 0xffffffc0u;
    memcpy(&p.new_state[i], &bits, sizeof bits);
  }
  return 0;
}
