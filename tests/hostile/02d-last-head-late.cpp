// assay-corpus: number=2 kind=hostile expect=incorrect|suspect probe=late_work stage=gate
// Seven of eight heads are in time; a spinning thread finishes the last one a moment after the call has returned.
#include "gdn_decode.hpp"

#include <atomic>
#include <thread>

namespace {
gdn::Problem job;
std::atomic<unsigned> posted{0};

void serve() {
  for (unsigned seen = 0;;) {
    posted.wait(seen);
    seen = posted.load();
    for (int64_t h = gdn::kValueHeads - 1; h < job.heads; h += gdn::kValueHeads) {
      gdn::compute_head(job, h);
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool started = [] {
    std::thread(serve).detach();
    return true;
  }();
  static_cast<void>(started);
  const gdn::Problem p = gdn::problem_of(call);
  for (int64_t h = 0; h < p.heads; ++h) {
    if (h % gdn::kValueHeads != gdn::kValueHeads - 1) {
      gdn::compute_head(p, h);
    }
  }
  job = p;
  posted.fetch_add(1);
  posted.notify_one();
  return 0;
}
