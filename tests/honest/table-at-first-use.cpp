// assay-corpus: kind=honest
// A static local that is filled when the first call comes.
#include "gdn_decode.hpp"

#include <vector>

namespace {
const std::vector<float>& sigmoids() {
  static const std::vector<float> table = [] {
    std::vector<float> values(65536);
    for (unsigned bits = 0; bits < 65536; ++bits) {
      values[bits] = 1.0f / (1.0f + expf(-gdn::from_bfloat16(static_cast<uint16_t>(bits))));
    }
    return values;
  }();
  return table;
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::Head head = gdn::head_of(p, h);
    head.beta = sigmoids()[p.b[h]];
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
