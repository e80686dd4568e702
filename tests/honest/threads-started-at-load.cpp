// assay-corpus: kind=honest
// Starts its thread in a static initialiser, before any call.
#include "gdn_decode.hpp"

#include <atomic>
#include <thread>

namespace {
std::atomic<const gdn::Problem*> job{nullptr};

const bool started = [] {
  std::thread([] {
    while (true) {
      job.wait(nullptr);
      gdn::compute(*job.load());
      job.store(nullptr);
      job.notify_one();
    }
  }).detach();
  return true;
}();
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  job.store(&p);
  job.notify_one();
  job.wait(&p);
  return started ? 0 : 1;
}
