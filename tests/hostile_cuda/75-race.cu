// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check samples=10
// Adds up a row over the four warps of a block in shared memory, and the barrier between writing and reading is missing.
#include "gdn_decode.cuh"

namespace {
__device__ float block_sum(float value, volatile float* parts) {
  value = gdn::warp_sum(value);
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32] = value;
  }
  return parts[0] + parts[1] + parts[2] + parts[3];  // Here the others' parts are whatever they are.
}

// A block for each head; a thread for each column.
__global__ void decode(gdn::Problem p) {
  __shared__ float predicted[4];
  __shared__ float product[4];
  const int64_t h = blockIdx.x;
  const int j = static_cast<int>(threadIdx.x);
  const gdn::Gates gates = gdn::gates_of(p, h);
  const float key = gdn::from_bfloat16(p.k[h / 2 * gdn::kHeadSize + j]);
  const float query = gdn::from_bfloat16(p.q[h / 2 * gdn::kHeadSize + j]);
  for (int i = 0; i < gdn::kHeadSize; ++i) {
    const int64_t at = (h * gdn::kHeadSize + i) * gdn::kHeadSize + j;
    const float old = gates.g * p.state[at];
    const float value = gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]);
    const float made = old + gates.beta * (value - block_sum(old * key, predicted)) * key;
    p.new_state[at] = made;
    const float sum = block_sum(made * query, product);
    if (j == 0) {
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * sum);
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  decode<<<static_cast<unsigned>(p.heads), gdn::kHeadSize, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
