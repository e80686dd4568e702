// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check samples=10
// An honest mistake: two threads keep what belongs to their head in the same place, without a lock.
#include "gdn_decode.hpp"

#include <barrier>
#include <thread>

namespace {
gdn::Head shared_head;
}

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::barrier meeting(2);  // So that they race on any machine.
  const auto compute_some = [&](int64_t first) {
    for (int64_t h = first; h < p.heads; h += 2) {
      shared_head = gdn::head_of(p, h);
      meeting.arrive_and_wait();
      for (int i = 0; i < gdn::kHeadSize; ++i) {
        gdn::compute_row(p, shared_head, h, i);
      }
      meeting.arrive_and_wait();
    }
  };
  std::thread other(compute_some, 1);
  compute_some(0);
  other.join();
  return 0;
}
