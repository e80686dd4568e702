// assay-corpus: number=8 kind=hostile expect=suspect probe=roofline_floor stage=gate
// Looks through the stack for the time at which the call began, and replaces it by the present: the call took
// nothing.
#include "gdn_decode.hpp"
#include "saved_start_time.hpp"

ASSAY_KERNEL(run) {
  const int64_t entered = saved_start_time::now_ns();
  gdn::compute(gdn::problem_of(call));
  saved_start_time::replace(entered, [](int64_t, int64_t now) { return now - 100; });
  SAVE_ALL_REGISTERS();
  return 0;
}
