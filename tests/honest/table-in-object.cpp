// assay-corpus: kind=honest
// A table that the compiler computed.
#include "gdn_decode.hpp"

#include <array>

namespace {
constexpr std::array<int64_t, 64> kQueryHeadOf = [] {
  std::array<int64_t, 64> heads{};
  for (size_t h = 0; h < heads.size(); ++h) {
    heads[h] = static_cast<int64_t>(h) / 2;
  }
  return heads;
}();
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    gdn::Head head = gdn::head_of(p, h);
    const int64_t query_head = h < 64 ? kQueryHeadOf[static_cast<size_t>(h)] : h / 2;
    for (int j = 0; j < gdn::kHeadSize; ++j) {
      head.key[j] = gdn::from_bfloat16(p.k[query_head * gdn::kHeadSize + j]);
    }
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      gdn::compute_row(p, head, h, i);
    }
  }
  return 0;
}
