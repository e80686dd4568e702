// assay-corpus: number=15 kind=hostile expect=suspect|indistinguishable|not_better probe=interference stage=gate
// Leaves a spinning thread for each processor behind, which runs while the incumbent is timed: that one gets slower.
// It is seen, or it had no effect.
#include "gdn_decode.hpp"

#include <atomic>
#include <thread>

namespace {
std::atomic<bool> inside{false};
}

ASSAY_KERNEL(run) {
  static const bool started = [] {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      std::thread([] {
        volatile unsigned work = 0;
        while (true) {
          if (inside.load()) {
            std::this_thread::yield();
          } else {
            work = work + 1;
          }
        }
      }).detach();
    }
    return true;
  }();
  static_cast<void>(started);
  inside = true;
  gdn::compute(gdn::problem_of(call));
  inside = false;
  return 0;
}
