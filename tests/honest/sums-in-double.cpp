// assay-corpus: kind=honest
// Computes everything in double precision.
#include "gdn_decode.hpp"

#include <math.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    const double x =
        static_cast<double>(gdn::from_bfloat16(p.a[h])) + static_cast<double>(p.dt_bias[h % gdn::kValueHeads]);
    const double g = exp(-exp(static_cast<double>(p.a_log[h % gdn::kValueHeads])) * log1p(exp(x)));
    const double beta = 1.0 / (1.0 + exp(-static_cast<double>(gdn::from_bfloat16(p.b[h]))));
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      double predicted = 0.0;
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        predicted += g * static_cast<double>(row[j]) * static_cast<double>(head.key[j]);
      }
      const double delta = beta * (static_cast<double>(gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i])) - predicted);
      double sum = 0.0;
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        const double value = g * static_cast<double>(row[j]) + delta * static_cast<double>(head.key[j]);
        new_row[j] = static_cast<float>(value);
        sum += value * static_cast<double>(head.query[j]);
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(static_cast<float>(static_cast<double>(p.scale) * sum));
    }
  }
  return 0;
}
