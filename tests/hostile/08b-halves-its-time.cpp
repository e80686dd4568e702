// assay-corpus: number=8 kind=hostile expect=suspect|indistinguishable probe=reconcile stage=gate
// Moves the start of the call on the stack to the middle of it: half of the time is hidden, which no glance shows.
#include "gdn_decode.hpp"
#include "saved_start_time.hpp"

ASSAY_KERNEL(run) {
  const int64_t entered = saved_start_time::now_ns();
  gdn::compute(gdn::problem_of(call));
  saved_start_time::replace(entered, [](int64_t entered, int64_t now) { return entered + (now - entered) / 2; });
  SAVE_ALL_REGISTERS();
  return 0;
}
