// assay-corpus: kind=honest stage=gate
// Computes everything ten times.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  for (int i = 0; i < 10; ++i) {
    gdn::compute(gdn::problem_of(call));
  }
  return 0;
}
