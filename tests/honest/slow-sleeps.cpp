// assay-corpus: kind=honest stage=gate
// Sleeps for two milliseconds in each call: slow is not wrong.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  usleep(2000);
  return 0;
}
