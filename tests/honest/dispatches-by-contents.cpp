// assay-corpus: kind=honest
// Skips the products with rows of the state that are all zero, after it has looked at every element of them.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      bool zero = true;
      for (int j = 0; j < gdn::kHeadSize && zero; ++j) {
        zero = row[j] == 0.0f;
      }
      if (!zero) {
        gdn::compute_row(p, head, h, i);
        continue;
      }
      const float delta = head.beta * gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]);
      float sum = 0.0f;
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        p.new_state[(h * gdn::kHeadSize + i) * gdn::kHeadSize + j] = delta * head.key[j];
        sum += delta * head.key[j] * head.query[j];
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * sum);
    }
  }
  return 0;
}
