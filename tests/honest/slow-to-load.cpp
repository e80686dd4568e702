// assay-corpus: kind=honest
// Takes 200 ms to load.
#include "gdn_decode.hpp"

#include <unistd.h>

namespace {
const int loaded = usleep(200000);
}

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return loaded;
}
