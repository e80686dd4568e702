// assay-corpus: kind=honest
// The compiler's own vector types, wider than any register of the machine.
#include "gdn_decode.hpp"

namespace {
typedef float Wide __attribute__((vector_size(512), aligned(4)));

float total(const Wide& values) {
  float sum = 0.0f;
  for (int j = 0; j < gdn::kHeadSize; ++j) {
    sum += values[j];
  }
  return sum;
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    Wide key;
    Wide query;
    memcpy(&key, head.key, sizeof key);
    memcpy(&query, head.query, sizeof query);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      Wide row;
      memcpy(&row, p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize, sizeof row);
      row *= head.g;
      const float delta = head.beta * (gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]) - total(row * key));
      row += delta * key;
      memcpy(p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize, &row, sizeof row);
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * total(row * query));
    }
  }
  return 0;
}
