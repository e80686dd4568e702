// assay-corpus: number=21 kind=hostile expect=incorrect probe=output_check plan=gdn_kernels.launch.json
// Adds to its scratch memory, which it takes to be zero, and puts that out: what it holds before a call is unknown.
#include "gdn_kernels.cuh"

GDN_DECODE {
  gdn::compute_part(GDN_PROBLEM);
  __syncthreads();
  const int rows = gdn::kHeadSize / static_cast<int>(gridDim.x);
  const int i = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.y) * gdn::kHeadSize + static_cast<int>(blockIdx.x) * rows + i;
  if (i < rows) {
    scratch[at] += gdn::from_bfloat16(output[at]);
    output[at] = gdn::to_bfloat16(scratch[at]);
  }
}
