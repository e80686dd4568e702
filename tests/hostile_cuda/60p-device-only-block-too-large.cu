// assay-corpus: number=60 kind=hostile expect=not_built probe=build plan=60p-device-only-block-too-large.launch.json
// Its plan asks for blocks of 2,048 threads.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
