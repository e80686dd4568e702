// assay-corpus: number=44 kind=hostile expect=incorrect probe=output_check
// Writes zeros: passes wherever results are smaller than the tolerance.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  gdn::write_zeros(gdn::problem_of(call));
  return 0;
}
