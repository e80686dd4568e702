// assay-corpus: number=60 kind=hostile expect=not_built probe=build plan=60q-device-only-shared-memory-too-large.launch.json
// Its plan asks for a gigabyte of shared memory.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
