// assay-corpus: kind=honest
// Names and words that a text search would take for cheating: cache, memo, replay, benchmark, time, fork, _exit,
// ptrace.
#include "gdn_decode.hpp"

namespace {
int benchmark_cache = 0;
const char* const words = "memo replay fork _exit ptrace clock_gettime /proc/self/mem PASSED";
}  // namespace

ASSAY_KERNEL(run) {
  ++benchmark_cache;
  gdn::compute(gdn::problem_of(call));
  return words == nullptr ? benchmark_cache : 0;
}
