// assay-corpus: number=43 kind=hostile expect=incorrect probe=poison
// An honest mistake: the fast path throws, the exception is swallowed, and whatever was in the output stays.
#include "gdn_decode.hpp"

#include <stdexcept>

ASSAY_KERNEL(run) {
  try {
    const gdn::Problem p = gdn::problem_of(call);
    if (p.batch >= 1) {
      throw std::runtime_error("needs a larger batch");
    }
    gdn::compute(p);
  } catch (const std::exception&) {
  }
  return 0;
}
