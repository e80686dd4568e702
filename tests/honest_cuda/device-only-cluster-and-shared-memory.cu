// assay-corpus: kind=honest plan=device-only-cluster-and-shared-memory.launch.json
// Two blocks of a cluster, 64 KiB of dynamic shared memory for each, and scratch memory that is written before it is
// read: what a plan can ask for.
#include "gdn_kernels.cuh"

GDN_DECODE {
  extern __shared__ float part[];
  const int at = static_cast<int>(threadIdx.x);
  for (int i = at; i < 16384; i += static_cast<int>(blockDim.x)) {
    part[i] = static_cast<float>(i);
  }
  __syncthreads();
  scratch[0] = part[16383];
  gdn::compute_part(GDN_PROBLEM);
}
