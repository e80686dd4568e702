// assay-corpus: kind=honest
// Reads the time-stamp counter and issues prefetches by inline assembly.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
#if defined(__x86_64__)
    unsigned low;
    unsigned high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    __asm__ volatile("prefetcht0 (%0)" ::"r"(p.state + (h + 1 < p.heads ? h + 1 : 0) * gdn::kStateSize));
#endif
    gdn::compute_head(p, h);
  }
  return 0;
}
