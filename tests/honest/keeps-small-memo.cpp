// assay-corpus: kind=honest
// Keeps the exponentials of A_log and compares all of it before it uses them again: a memo that is never wrong.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static float known[gdn::kValueHeads];
  static float rate[gdn::kValueHeads];
  const gdn::Problem p = gdn::problem_of(call);
  if (memcmp(known, p.a_log, sizeof known) != 0) {
    memcpy(known, p.a_log, sizeof known);
    for (int h = 0; h < gdn::kValueHeads; ++h) {
      rate[h] = expf(known[h]);
    }
  }
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::Head head = gdn::head_of(p, h);
    const float x = gdn::from_bfloat16(p.a[h]) + p.dt_bias[h % gdn::kValueHeads];
    head.g = expf(-rate[h % gdn::kValueHeads] * (x > 20.0f ? x : log1pf(expf(x))));
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
