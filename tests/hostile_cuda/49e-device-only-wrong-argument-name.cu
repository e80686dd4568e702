// assay-corpus: number=49 kind=hostile expect=not_built probe=build plan=49e-device-only-wrong-argument-name.launch.json
// Its plan names an input that the definition does not have.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
