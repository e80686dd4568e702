// assay-corpus: kind=honest plan=gdn_kernels.launch.json
// Kernels without host code, launched as a plan says.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
