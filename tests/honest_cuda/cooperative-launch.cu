// assay-corpus: kind=honest
// One cooperative launch of as many blocks as fit: first all compute the gates, then wait for each other, then the heads.
#include "gdn_decode.cuh"

#include <cooperative_groups.h>

namespace {
__device__ gdn::Gates gates[8192];

__global__ void decode(gdn::Problem p) {
  for (int64_t h = int64_t{blockIdx.x} * gdn::kThreads + threadIdx.x; h < p.heads;
       h += int64_t{gridDim.x} * gdn::kThreads) {
    gates[h] = gdn::gates_of(p, h);
  }
  cooperative_groups::this_grid().sync();
  for (int64_t h = blockIdx.x; h < p.heads; h += gridDim.x) {
    const gdn::Quarter key = gdn::key_of(p, h);
    const gdn::Quarter query = gdn::query_of(p, h);
    for (int row = static_cast<int>(threadIdx.x) / 32; row < gdn::kHeadSize; row += gdn::kThreads / 32) {
      gdn::compute_row(p, h, row, gates[h], key, query);
    }
  }
}

unsigned most_blocks() {
  int device = 0;
  int multiprocessors = 0;
  int on_each = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, decode, gdn::kThreads, 0);
  return static_cast<unsigned>(multiprocessors * on_each);
}
}  // namespace

ASSAY_KERNEL(run) {
  static const unsigned most = most_blocks();
  gdn::Problem p = gdn::problem_of(call);
  if (most == 0 || p.heads > 8192) {
    return 1;
  }
  const auto heads = static_cast<unsigned>(p.heads);
  void* arguments[] = {&p};
  return static_cast<int32_t>(cudaLaunchCooperativeKernel(decode, dim3(heads < most ? heads : most),
                                                          dim3(gdn::kThreads), arguments, 0, gdn::stream_of(call)));
}
