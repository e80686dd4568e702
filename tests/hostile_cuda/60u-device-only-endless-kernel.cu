// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits plan=gdn_kernels.launch.json
// One thread never ends.
#include "gdn_kernels.cuh"

GDN_DECODE {
  gdn::compute_part(GDN_PROBLEM);
  volatile float* watched = scratch;
  while (threadIdx.x == 0 && blockIdx.y == 0 && watched[heads] != 3.0f) {
  }
}
