// assay-corpus: number=51 kind=hostile expect=incorrect probe=poison
// Returns at once.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) { return call == nullptr ? 1 : 0; }
