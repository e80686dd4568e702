// assay-corpus: kind=honest
// A kernel for the corrections, one for the new state and one for the output, which reads it again.
#include "gdn_decode.cuh"

namespace {
__device__ float deltas[8192][gdn::kHeadSize];

__device__ int64_t row_of_warp() {
  return int64_t{blockIdx.y} * gdn::kHeadSize + blockIdx.x * (gdn::kThreads / 32) + threadIdx.x / 32;
}

__global__ void correct(gdn::Problem p) {
  const int64_t h = blockIdx.y;
  const int64_t row = row_of_warp();
  const gdn::Gates gates = gdn::gates_of(p, h);
  const float predicted = gates.g * gdn::dot(gdn::quarter_of(p.state + row * gdn::kHeadSize), gdn::key_of(p, h));
  if (threadIdx.x % 32 == 0) {
    deltas[h][row % gdn::kHeadSize] = gates.beta * (gdn::from_bfloat16(p.v[row]) - predicted);
  }
}

__global__ void update(gdn::Problem p) {
  const int64_t h = blockIdx.y;
  const int64_t at = (h * gdn::kHeadSize + blockIdx.x) * gdn::kHeadSize + threadIdx.x;
  const float key = gdn::from_bfloat16(p.k[h / 2 * gdn::kHeadSize + threadIdx.x]);
  p.new_state[at] = gdn::gates_of(p, h).g * p.state[at] + deltas[h][blockIdx.x] * key;
}

__global__ void read_out(gdn::Problem p) {
  const int64_t row = row_of_warp();
  const float product =
      gdn::dot(gdn::quarter_of(p.new_state + row * gdn::kHeadSize), gdn::query_of(p, int64_t{blockIdx.y}));
  if (threadIdx.x % 32 == 0) {
    p.output[row] = gdn::to_bfloat16(p.scale * product);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  const auto heads = static_cast<unsigned>(p.heads);
  if (heads > 8192) {
    return 1;
  }
  const dim3 by_warps(gdn::kHeadSize / (gdn::kThreads / 32), heads);
  correct<<<by_warps, gdn::kThreads, 0, stream>>>(p);
  update<<<dim3(gdn::kHeadSize, heads), gdn::kHeadSize, 0, stream>>>(p);
  read_out<<<by_warps, gdn::kThreads, 0, stream>>>(p);
  return gdn::status();
}
