// assay-corpus: kind=honest
// Divides the heads in halves, recursively.
#include "gdn_decode.hpp"

namespace {
void compute_range(const gdn::Problem& p, int64_t begin, int64_t end) {
  if (end - begin == 1) {
    gdn::compute_head(p, begin);
    return;
  }
  compute_range(p, begin, begin + (end - begin) / 2);
  compute_range(p, begin + (end - begin) / 2, end);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  compute_range(p, 0, p.heads);
  return 0;
}
