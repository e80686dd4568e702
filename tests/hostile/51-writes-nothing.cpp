// assay-corpus: number=51 kind=hostile expect=incorrect probe=poison
// Returns success without doing anything, like a launch that failed and was not looked at.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  static_cast<void>(call);
  return 0;
}
