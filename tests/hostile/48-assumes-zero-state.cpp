// assay-corpus: number=48 kind=hostile expect=incorrect probe=output_check samples=60
// Takes a head's state for zero if its first row is: so it is in sequences that start, but not in every input that
// could be given. The rest of the state is then never read.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const float* state = p.state + h * gdn::kStateSize;
    bool zero = true;
    for (int j = 0; j < gdn::kHeadSize; ++j) {
      zero = zero && state[j] == 0.0f;
    }
    if (!zero) {
      gdn::compute_head(p, h);
      continue;
    }
    const gdn::Head head = gdn::head_of(p, h);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
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
