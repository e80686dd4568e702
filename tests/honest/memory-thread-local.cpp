// assay-corpus: kind=honest
// Thread-local scratch, used by two threads.
#include "gdn_decode.hpp"

#include <thread>

namespace {
thread_local float scratch[gdn::kHeadSize * gdn::kHeadSize];

void compute_with_scratch(const gdn::Problem& p, int64_t h) {
  memcpy(scratch, p.state + h * gdn::kStateSize, sizeof scratch);
  gdn::Problem inner = p;
  inner.state = scratch - h * gdn::kStateSize;
  gdn::compute_head(inner, h);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  std::thread other([&p] {
    for (int64_t h = 1; h < p.heads; h += 2) {
      compute_with_scratch(p, h);
    }
  });
  for (int64_t h = 0; h < p.heads; h += 2) {
    compute_with_scratch(p, h);
  }
  other.join();
  return 0;
}
