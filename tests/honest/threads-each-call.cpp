// assay-corpus: kind=honest stage=gate
// Starts four threads in each call and joins them.
#include "gdn_decode.hpp"

#include <thread>
#include <vector>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&p, t] {
      for (int64_t h = t; h < p.heads; h += 4) {
        gdn::compute_head(p, h);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return 0;
}
