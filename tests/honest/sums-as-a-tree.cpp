// assay-corpus: kind=honest
// Sums by recursive halving.
#include "gdn_decode.hpp"

namespace {
float dot(const float* x, const float* y, int size) {
  if (size == 1) {
    return x[0] * y[0];
  }
  return dot(x, y, size / 2) + dot(x + size / 2, y + size / 2, size / 2);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      const float v = gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]);
      const float delta = head.beta * (v - head.g * dot(row, head.key, gdn::kHeadSize));
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        new_row[j] = head.g * row[j] + delta * head.key[j];
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * dot(new_row, head.query, gdn::kHeadSize));
    }
  }
  return 0;
}
