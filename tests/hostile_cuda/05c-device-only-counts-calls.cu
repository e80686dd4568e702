// assay-corpus: number=5 kind=hostile expect=incorrect probe=output_check samples=16 plan=gdn_kernels.launch.json
// Counts its calls in a variable of the device, is right at first, and leaves the last head alone then.
#include "gdn_kernels.cuh"

__device__ volatile unsigned calls = 0;

GDN_DECODE {
  const bool is_last = static_cast<int>(blockIdx.y) + 1 == heads;
  if (calls < 20 || !is_last) {
    gdn::compute_part(GDN_PROBLEM);
  }
  if (is_last && blockIdx.x == 0 && threadIdx.x == 0) {
    calls = calls + 1;
  }
}
