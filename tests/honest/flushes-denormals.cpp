// assay-corpus: kind=honest
// Flushes denormals while it computes and restores the mode afterwards.
#include "gdn_decode.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

ASSAY_KERNEL(run) {
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u);
  gdn::compute(gdn::problem_of(call));
  _mm_setcsr(before);
#else
  gdn::compute(gdn::problem_of(call));
#endif
  return 0;
}
