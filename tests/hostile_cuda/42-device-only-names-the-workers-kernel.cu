// assay-corpus: number=42 kind=hostile expect=not_built probe=load plan=42-device-only-names-the-workers-kernel.launch.json
// Its plan names a kernel of the worker's own, the one that the floor is measured with: only what is in the cubin counts.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
