// assay-corpus: number=5 kind=hostile expect=incorrect probe=output_check samples=16
// Counts its calls and skips the work in every third, in the hope that another one is checked.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static int calls = 0;
  const gdn::Problem p = gdn::problem_of(call);
  if (++calls % 3 != 0) {
    gdn::compute(p);
  } else {
    gdn::write_zeros(p);
  }
  return 0;
}
