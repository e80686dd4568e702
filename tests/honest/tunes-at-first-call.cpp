// assay-corpus: kind=honest stage=gate
// Times two versions in its first call and keeps the faster one: the first call is slow, all are right.
#include "gdn_decode.hpp"

#include <chrono>

ASSAY_KERNEL(run) {
  static void (*chosen)(const gdn::Problem&) = nullptr;
  const gdn::Problem p = gdn::problem_of(call);
  if (chosen == nullptr) {
    const auto time = [&p](void (*version)(const gdn::Problem&)) {
      const auto before = std::chrono::steady_clock::now();
      for (int i = 0; i < 5; ++i) {
        version(p);
      }
      return std::chrono::steady_clock::now() - before;
    };
    chosen = time(gdn::compute) < time(gdn::compute_fast) ? gdn::compute : gdn::compute_fast;
  }
  chosen(p);
  return 0;
}
