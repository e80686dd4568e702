// assay-corpus: kind=honest
// Copies the rows of a block to shared memory asynchronously, four at a time, and computes on those that have arrived.
#include "gdn_decode.cuh"

#include <cuda_pipeline.h>

namespace {
constexpr int kRows = gdn::kHeadSize / gdn::kBlocksPerHead;

__global__ void decode(gdn::Problem p) {
  __shared__ __align__(16) float held[kRows][gdn::kHeadSize];
  const int64_t h = blockIdx.y;
  const int64_t first_row = h * gdn::kHeadSize + blockIdx.x * kRows;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kWarps = gdn::kThreads / 32;
  for (int row = warp; row < kRows; row += kWarps) {
    __pipeline_memcpy_async(&held[row][lane * 4], p.state + (first_row + row) * gdn::kHeadSize + lane * 4,
                            4 * sizeof(float));
    __pipeline_commit();
  }
  const gdn::Gates gates = gdn::gates_of(p, h);
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  p.state = &held[0][0] - first_row * gdn::kHeadSize;  // Each lane reads what it has copied itself.
  __pipeline_wait_prior(0);
  for (int row = warp; row < kRows; row += kWarps) {
    gdn::compute_row(p, h, static_cast<int>(blockIdx.x) * kRows + row, gates, key, query);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
