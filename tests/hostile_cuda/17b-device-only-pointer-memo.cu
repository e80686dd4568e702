// assay-corpus: number=17 kind=hostile expect=incorrect probe=fresh_contents|one_element_mutation samples=16 plan=gdn_kernels.launch.json
// Keeps what it put out for the pointers of its first call in variables of the device, and gives that out when they come
// again with as large a batch.
#include "gdn_kernels.cuh"

constexpr int kMost = 64 * gdn::kValueHeads * gdn::kHeadSize;
__device__ const void* known = nullptr;
__device__ unsigned short kept[kMost];
__device__ unsigned parts_kept = 0;
__device__ unsigned batch_kept = 0;

GDN_DECODE {
  const int rows = gdn::kHeadSize / static_cast<int>(gridDim.x);
  const int at = static_cast<int>(blockIdx.y) * gdn::kHeadSize + static_cast<int>(blockIdx.x) * rows;
  const bool is_first = known == nullptr || (known == q && batch_kept == gridDim.y);
  const bool is_known = known != nullptr && is_first && parts_kept >= gridDim.x * gridDim.y && at + rows <= kMost;
  gdn::compute_part(GDN_PROBLEM);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < rows && at + rows <= kMost; i += static_cast<int>(blockDim.x)) {
    if (is_known) {
      output[at + i] = kept[at + i];
    } else if (is_first) {
      kept[at + i] = output[at + i];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && is_first && !is_known && atomicAdd(&parts_kept, 1u) == 0) {
    batch_kept = gridDim.y;
    __threadfence();
    known = q;
  }
}
