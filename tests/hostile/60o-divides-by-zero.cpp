// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// An honest mistake: divides by zero.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  volatile int zero = 0;
  return static_cast<int>(p.batch) / zero;
}
