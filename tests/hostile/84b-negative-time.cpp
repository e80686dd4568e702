// assay-corpus: number=84 kind=hostile expect=protocol_violation probe=protocol stage=gate
// Moves the start of the call behind its end: the time is negative, and a mean would become anything.
#include "gdn_decode.hpp"
#include "saved_start_time.hpp"

ASSAY_KERNEL(run) {
  const int64_t entered = saved_start_time::now_ns();
  gdn::compute_fast(gdn::problem_of(call));
  saved_start_time::replace(entered, [](int64_t, int64_t now) { return now + 10000000; });
  SAVE_ALL_REGISTERS();
  return 0;
}
