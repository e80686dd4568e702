// assay-corpus: kind=honest stage=gate
// A kept thread that spins for 20 µs after its work before it parks, as OpenMP runtimes do: some time is used after
// the call has returned, but nothing is written.
#include "gdn_decode.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace {
gdn::Problem job;
std::atomic<unsigned> posted{0};
std::atomic<unsigned> finished{0};

void serve() {
  for (unsigned seen = 0;;) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (posted.load() == seen && std::chrono::steady_clock::now() < until) {
    }
    posted.wait(seen);
    seen = posted.load();
    for (int64_t h = 1; h < job.heads; h += 2) {
      gdn::compute_head(job, h);
    }
    finished.store(seen);
    finished.notify_one();
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool started = [] {
    std::thread(serve).detach();
    return true;
  }();
  static_cast<void>(started);
  job = gdn::problem_of(call);
  const unsigned ticket = posted.fetch_add(1) + 1;
  posted.notify_one();
  for (int64_t h = 0; h < job.heads; h += 2) {
    gdn::compute_head(job, h);
  }
  for (unsigned seen = finished.load(); seen != ticket; seen = finished.load()) {
    finished.wait(seen);
  }
  return 0;
}
