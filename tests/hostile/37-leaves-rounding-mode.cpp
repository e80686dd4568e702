// assay-corpus: number=37 kind=hostile expect=measured probe=none
// Computes rightly and leaves its process rounding up, with denormals flushed: a reference there would go wrong.
#include "gdn_decode.hpp"

#include <fenv.h>
#include <xmmintrin.h>

ASSAY_KERNEL(run) {
  fesetround(FE_TONEAREST);
  gdn::compute(gdn::problem_of(call));
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  fesetround(FE_UPWARD);
  return 0;
}
