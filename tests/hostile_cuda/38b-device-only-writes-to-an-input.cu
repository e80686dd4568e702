// assay-corpus: number=38 kind=hostile expect=crashed probe=none plan=gdn_kernels.launch.json
// Casts an input's const away: the device dies of it, for the worker maps inputs read-only.
#include "gdn_kernels.cuh"

GDN_DECODE {
  gdn::compute_part(GDN_PROBLEM);
  if (threadIdx.x == 0) {
    const_cast<float*>(state)[blockIdx.y] = 0.0f;
  }
}
