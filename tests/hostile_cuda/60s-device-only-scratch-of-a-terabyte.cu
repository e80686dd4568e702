// assay-corpus: number=60 kind=hostile expect=not_built probe=build plan=60s-device-only-scratch-of-a-terabyte.launch.json
// Its plan asks for more scratch memory than any device has.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
