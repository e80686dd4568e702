// assay-corpus: kind=honest stage=gate
// Takes up to half as long again, at random.
#include "gdn_decode.hpp"

#include <random>

ASSAY_KERNEL(run) {
  static std::mt19937 random(std::random_device{}());
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  for (int64_t h = 0; h < p.heads; ++h) {
    if (random() % 2 == 0) {
      gdn::compute_head(p, h);
    }
  }
  return 0;
}
