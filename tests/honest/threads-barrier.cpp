// assay-corpus: kind=honest
// Two threads with a barrier between gates and rows.
#include "gdn_decode.hpp"

#include <barrier>
#include <thread>
#include <vector>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::vector<gdn::Head> heads(static_cast<size_t>(p.heads));
  std::barrier meeting(2);
  const auto work = [&](int64_t first) {
    for (int64_t h = first; h < p.heads; h += 2) {
      heads[static_cast<size_t>(h)] = gdn::head_of(p, h);
    }
    meeting.arrive_and_wait();
    for (int64_t h = 1 - first; h < p.heads; h += 2) {
      for (int i = 0; i < gdn::kHeadSize; ++i) {
        gdn::compute_row(p, heads[static_cast<size_t>(h)], h, i);
      }
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  return 0;
}
