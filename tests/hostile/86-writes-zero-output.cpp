// assay-corpus: number=86 kind=hostile expect=incorrect probe=output_check
// The state is right; the output, whose elements are small, is left at zero.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  memset(p.output, 0, gdn::value_elements(p) * sizeof(uint16_t));
  return 0;
}
