// assay-corpus: kind=honest
// One std::async for each sequence of the batch.
#include "gdn_decode.hpp"

#include <future>
#include <vector>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::vector<std::future<void>> parts;
  for (int64_t b = 0; b < p.batch; ++b) {
    parts.push_back(std::async(std::launch::async, [&p, b] {
      for (int64_t h = 0; h < gdn::kValueHeads; ++h) {
        gdn::compute_head(p, b * gdn::kValueHeads + h);
      }
    }));
  }
  for (std::future<void>& part : parts) {
    part.get();
  }
  return 0;
}
