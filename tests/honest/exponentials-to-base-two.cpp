// assay-corpus: kind=honest
// exp by exp2 and softplus by log: other roundings, within what float32 allows.
#include "gdn_decode.hpp"

#include <math.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  constexpr float kLog2e = 1.44269504f;
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::Head head = gdn::head_of(p, h);
    const float x = gdn::from_bfloat16(p.a[h]) + p.dt_bias[h % gdn::kValueHeads];
    const float softplus = x > 20.0f ? x : logf(1.0f + exp2f(kLog2e * x));
    head.g = exp2f(-kLog2e * exp2f(kLog2e * p.a_log[h % gdn::kValueHeads]) * softplus);
    head.beta = 1.0f / (1.0f + exp2f(-kLog2e * gdn::from_bfloat16(p.b[h])));
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
