// assay-corpus: number=59 kind=hostile expect=not_built probe=load
// An honest mistake: the entry point has another name.
#include "gdn_decode.hpp"

ASSAY_KERNEL(execute) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
