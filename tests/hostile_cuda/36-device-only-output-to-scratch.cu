// assay-corpus: number=36 kind=hostile expect=incorrect probe=poison plan=36-device-only-output-to-scratch.launch.json
// Its plan gives scratch memory in the place of an output, which nobody writes.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
