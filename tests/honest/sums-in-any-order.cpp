// assay-corpus: kind=honest samples=10
// Two threads add into the same output with atomics, in any order: the last bits differ from call to call, which is
// legal where a sum has no order.
#include "gdn_decode.hpp"

#include <atomic>
#include <thread>
#include <vector>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  std::vector<float> sums(gdn::value_elements(p), 0.0f);
  const auto add = [&](int first) {
    for (int64_t h = 0; h < p.heads; ++h) {
      const gdn::Head head = gdn::head_of(p, h);
      for (int i = 0; i < gdn::kHeadSize; ++i) {
        const float* row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
        std::atomic_ref<float> sum(sums[static_cast<size_t>(h * gdn::kHeadSize + i)]);
        for (int j = first; j < gdn::kHeadSize; j += 32) {
          float part = 0.0f;
          for (int l = 0; l < 16; ++l) {
            part += row[j + l] * head.query[j + l];
          }
          sum.fetch_add(part);
        }
      }
    }
  };
  std::thread other(add, 16);
  add(0);
  other.join();
  for (size_t i = 0; i < sums.size(); ++i) {
    p.output[i] = gdn::to_bfloat16(p.scale * sums[i]);
  }
  return 0;
}
