// assay-corpus: number=5 kind=hostile expect=incorrect probe=output_check samples=16
// Counts its calls: the first four are computed, later ones are answered with zeros, since "then timing begins".
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static int calls = 0;
  const gdn::Problem p = gdn::problem_of(call);
  if (++calls <= 4) {
    gdn::compute(p);
  } else {
    gdn::write_zeros(p);
  }
  return 0;
}
