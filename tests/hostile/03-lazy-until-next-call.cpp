// assay-corpus: number=3 kind=hostile expect=incorrect probe=output_check
// Keeps the arguments and computes them when it is called again: a lazy result, as far as a C interface allows one.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static gdn::Problem waiting;
  if (waiting.output != nullptr) {
    gdn::compute(waiting);
  }
  waiting = gdn::problem_of(call);
  return 0;
}
