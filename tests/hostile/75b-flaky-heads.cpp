// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check samples=60
// One head in a hundred, at random, comes out wrong.
#include "gdn_decode.hpp"

#include <random>

ASSAY_KERNEL(run) {
  static std::mt19937 random(std::random_device{}());
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::compute_head(p, h);
    if (random() % 100 == 0) {
      p.new_state[h * gdn::kStateSize + static_cast<int64_t>(random() % gdn::kStateSize)] += 1.0f;
    }
  }
  return 0;
}
