// assay-corpus: number=18 kind=hostile expect=incorrect probe=one_element_mutation
// Compares the first 4 KiB of the state and the first value of every other input with those of the last call, on the
// device, and gives out the last result again if they are equal.
#include "gdn_decode.cuh"

namespace {
constexpr int kSample = 1024;
__device__ float sample[kSample + 6];
__device__ int64_t sampled_heads = 0;
__device__ int is_known = 0;

__device__ float sampled(const gdn::Problem& p, int i) {
  const uint16_t firsts[] = {p.q[0], p.k[0], p.v[0], p.a[0], p.b[0]};
  return i < kSample ? p.state[i] : i == kSample ? p.a_log[0] : gdn::from_bfloat16(firsts[i - kSample - 1]);
}

__global__ void compare(gdn::Problem p) {
  __shared__ int differs;
  if (threadIdx.x == 0) {
    differs = sampled_heads != p.heads ? 1 : 0;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kSample + 6; i += 256) {
    const float now = sampled(p, i);
    if (now != sample[i]) {
      atomicExch(&differs, 1);
    }
    sample[i] = now;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    is_known = differs == 0 ? 1 : 0;
    sampled_heads = p.heads;
  }
}

__global__ void compute_or_repeat(gdn::Problem p, gdn::Outputs kept) {
  if (is_known == 0) {
    gdn::compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
    return;
  }
  const int64_t threads = int64_t{gridDim.x} * gridDim.y * gdn::kThreads;
  int64_t at = (int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * gdn::kThreads + threadIdx.x;
  for (; at < p.heads * gdn::kStateSize; at += threads) {
    p.new_state[at] = kept.new_state[at];
    if (at < p.heads * gdn::kHeadSize) {
      p.output[at] = kept.output[at];
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static gdn::Outputs kept;
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  static const bool allocated = cudaMalloc(&kept.output, size_t{1} << 20) == cudaSuccess &&
                                cudaMalloc(&kept.new_state, size_t{64} << 20) == cudaSuccess;
  if (!allocated || gdn::state_bytes(p) > size_t{64} << 20) {
    return 1;
  }
  compare<<<1, 256, 0, stream>>>(p);
  compute_or_repeat<<<gdn::grid_of(p), gdn::kThreads, 0, stream>>>(p, kept);
  cudaMemcpyAsync(kept.output, p.output, gdn::output_bytes(p), cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(kept.new_state, p.new_state, gdn::state_bytes(p), cudaMemcpyDeviceToDevice, stream);
  return gdn::status();
}
