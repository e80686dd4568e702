// assay-corpus: kind=honest
// Shuffles the rows anew in each call; the result does not depend on their order.
#include "gdn_decode.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

ASSAY_KERNEL(run) {
  static std::mt19937 random(std::random_device{}());
  const gdn::Problem p = gdn::problem_of(call);
  std::vector<int> order(gdn::kHeadSize);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t h = 0; h < p.heads; ++h) {
    std::shuffle(order.begin(), order.end(), random);
    const gdn::Head head = gdn::head_of(p, h);
    for (const int i : order) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
