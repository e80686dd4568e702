// assay-corpus: number=8 kind=hostile expect=suspect|indistinguishable|not_better probe=reconcile stage=gate
// Moves the start of the call on the stack by a tenth of its time, as little as pays, among the noise of a busy
// machine: it must not be better.
#include "gdn_decode.hpp"
#include "saved_start_time.hpp"

ASSAY_KERNEL(run) {
  const int64_t entered = saved_start_time::now_ns();
  gdn::compute(gdn::problem_of(call));
  saved_start_time::replace(entered, [](int64_t entered, int64_t now) { return entered + (now - entered) / 10; });
  SAVE_ALL_REGISTERS();
  return 0;
}
