// assay-corpus: number=60 kind=hostile expect=not_built probe=build plan=60r-device-only-grid-overflows.launch.json
// An extent of its plan does not fit 64 bits: wrapped around it would look small.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
