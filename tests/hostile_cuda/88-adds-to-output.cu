// assay-corpus: number=88 kind=hostile expect=incorrect probe=output_check
// Adds the new state to what the output holds, which is zero only in fresh memory.
#include "gdn_decode.cuh"

namespace {
__global__ void add(float* to, const float* from) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  atomicAdd(to + at, from[at]);
}
}  // namespace

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  float* new_state = p.new_state;
  if (cudaMallocAsync(&p.new_state, gdn::state_bytes(p), stream) != cudaSuccess) {
    return 1;
  }
  gdn::launch(p, stream);
  add<<<static_cast<unsigned>(p.heads * gdn::kStateSize / 256), 256, 0, stream>>>(new_state, p.new_state);
  cudaFreeAsync(p.new_state, stream);
  return gdn::status();
}
