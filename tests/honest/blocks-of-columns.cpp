// assay-corpus: kind=honest
// Four rows at a time, in blocks of 32 columns.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  constexpr int kRows = 4;
  constexpr int kColumns = 32;
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    for (int i = 0; i < gdn::kHeadSize; i += kRows) {
      const float* rows = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_rows = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float delta[kRows] = {};
      float sum[kRows] = {};
      for (int block = 0; block < gdn::kHeadSize; block += kColumns) {
        for (int r = 0; r < kRows; ++r) {
          for (int j = block; j < block + kColumns; ++j) {
            delta[r] += head.g * rows[r * gdn::kHeadSize + j] * head.key[j];
          }
        }
      }
      for (int r = 0; r < kRows; ++r) {
        delta[r] = head.beta * (gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i + r]) - delta[r]);
      }
      for (int block = 0; block < gdn::kHeadSize; block += kColumns) {
        for (int r = 0; r < kRows; ++r) {
          for (int j = block; j < block + kColumns; ++j) {
            const float value = head.g * rows[r * gdn::kHeadSize + j] + delta[r] * head.key[j];
            new_rows[r * gdn::kHeadSize + j] = value;
            sum[r] += value * head.query[j];
          }
        }
      }
      for (int r = 0; r < kRows; ++r) {
        p.output[h * gdn::kHeadSize + i + r] = gdn::to_bfloat16(p.scale * sum[r]);
      }
    }
  }
  return 0;
}
