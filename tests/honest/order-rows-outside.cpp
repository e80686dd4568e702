// assay-corpus: kind=honest
// Rows outside, heads inside: jumps through the state.
#include "gdn_decode.hpp"

#include <vector>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::vector<gdn::Head> heads;
  for (int64_t h = 0; h < p.heads; ++h) {
    heads.push_back(gdn::head_of(p, h));
  }
  for (int i = 0; i < gdn::kHeadSize; ++i) {
    for (int64_t h = 0; h < p.heads; ++h) {
      gdn::compute_row(p, heads[static_cast<size_t>(h)], h, i);
    }
  }
  return 0;
}
