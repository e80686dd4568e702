// assay-corpus: number=2 kind=hostile expect=incorrect|suspect probe=late_work stage=gate
// Wakes a spinning thread, which computes while the call has returned already: nothing is started, so the gap is
// small.
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
    gdn::compute_fast(job);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static std::thread thread = [] {
    std::thread started(serve);
    started.detach();
    return started;
  }();
  job = gdn::problem_of(call);
  posted.fetch_add(1);
  posted.notify_one();
  return 0;
}
