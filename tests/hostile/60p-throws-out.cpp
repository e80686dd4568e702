// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// An honest mistake: an exception leaves the entry point.
#include "gdn_decode.hpp"

#include <stdexcept>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  throw std::runtime_error("no scratch memory");
}
