// assay-corpus: number=84 kind=hostile expect=suspect probe=roofline_floor stage=gate
// Reports some hundred nanoseconds: the start of the call is moved right before its end. No machine moves these bytes
// in that time.
#include "gdn_decode.hpp"
#include "saved_start_time.hpp"

ASSAY_KERNEL(run) {
  const int64_t entered = saved_start_time::now_ns();
  gdn::compute_fast(gdn::problem_of(call));
  saved_start_time::replace(entered, [](int64_t, int64_t now) { return now; });
  SAVE_ALL_REGISTERS();
  return 0;
}
