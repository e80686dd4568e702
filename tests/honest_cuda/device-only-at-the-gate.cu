// assay-corpus: kind=honest stage=gate plan=gdn_kernels.launch.json
// The same against the baseline, which has host code: faster or not, nothing about it is suspect.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
