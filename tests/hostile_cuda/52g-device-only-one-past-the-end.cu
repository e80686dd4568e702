// assay-corpus: number=52 kind=hostile expect=incorrect probe=guard_bands plan=gdn_kernels.launch.json
// Writes one element behind its output.
#include "gdn_kernels.cuh"

GDN_DECODE {
  gdn::compute_part(GDN_PROBLEM);
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) {
    output[heads * gdn::kHeadSize] = 0x3f80;
  }
}
