// assay-corpus: kind=honest
// The four blocks of a head are a cluster; its first block computes the gates, and the others read them from its shared
// memory.
#include "gdn_decode.cuh"

#include <cooperative_groups.h>

namespace {
namespace groups = cooperative_groups;

__global__ void decode(gdn::Problem p) {
  __shared__ gdn::Gates gates;
  groups::cluster_group cluster = groups::this_cluster();
  const int64_t h = blockIdx.y;
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    gates = gdn::gates_of(p, h);
  }
  cluster.sync();
  const gdn::Gates of_head = *cluster.map_shared_rank(&gates, 0);
  cluster.sync();  // The first block must not end while others read from it.
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  for (int row = static_cast<int>(threadIdx.x) / 32; row < 32; row += gdn::kThreads / 32) {
    gdn::compute_row(p, h, static_cast<int>(blockIdx.x) * 32 + row, of_head, key, query);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = gdn::kBlocksPerHead;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = gdn::grid_of(p);
  config.blockDim = dim3(gdn::kThreads);
  config.stream = gdn::stream_of(call);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return static_cast<int32_t>(cudaLaunchKernelEx(&config, decode, p));
}
