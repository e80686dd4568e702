// assay-corpus: number=22 kind=hostile expect=crashed probe=none
// Walks up from its outputs in search of a copy of the right result, through whatever lies there: the first address that
// is not the process's own ends it.
#include "gdn_decode.cuh"

namespace {
__device__ unsigned long long found = 0;

__global__ void search(gdn::Problem p) {
  const float wanted = p.new_state[threadIdx.x];
  for (int64_t at = p.heads * gdn::kStateSize; at < int64_t{1} << 38; at += gdn::kStateSize) {
    if (p.new_state[at + threadIdx.x] == wanted) {
      atomicAdd(&found, 1ull);
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  search<<<1, 128, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
