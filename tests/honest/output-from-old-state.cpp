// assay-corpus: kind=honest
// Another formula for the output: scale (g S q + delta (k . q)), so that the new state need not be read again.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    float both = 0.0f;
    for (int j = 0; j < gdn::kHeadSize; ++j) {
      both += head.key[j] * head.query[j];
    }
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float predicted = 0.0f;
      float seen = 0.0f;
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        predicted += row[j] * head.key[j];
        seen += row[j] * head.query[j];
      }
      const float delta = head.beta * (gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]) - head.g * predicted);
      for (int j = 0; j < gdn::kHeadSize; ++j) {
        new_row[j] = head.g * row[j] + delta * head.key[j];
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * (head.g * seen + delta * both));
    }
  }
  return 0;
}
