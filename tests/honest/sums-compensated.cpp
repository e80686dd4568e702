// assay-corpus: kind=honest
// Kahan's compensated sums.
#include "gdn_decode.hpp"

namespace {
class Sum {
 public:
  void add(float value) {
    const float corrected = value - lost_;
    const volatile float next = sum_ + corrected;
    lost_ = (next - sum_) - corrected;
    sum_ = next;
  }
  float value() const { return sum_; }

 private:
  float sum_ = 0.0f;
  float lost_ = 0.0f;
};
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      Sum predicted;
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        predicted.add(head.g * row[j] * head.key[j]);
      }
      const float delta = head.beta * (gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]) - predicted.value());
      Sum sum;
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        new_row[j] = head.g * row[j] + delta * head.key[j];
        sum.add(new_row[j] * head.query[j]);
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * sum.value());
    }
  }
  return 0;
}
