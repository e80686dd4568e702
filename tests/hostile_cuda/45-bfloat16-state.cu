// assay-corpus: number=45 kind=hostile expect=incorrect probe=output_check
// Keeps the new state with eight bits of mantissa, as a kernel would that stores it in half of the memory.
#include "gdn_decode.cuh"

namespace {
__global__ void round_state(float* state, int64_t elements) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < elements) {
    state[at] = gdn::from_bfloat16(gdn::to_bfloat16(state[at]));
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  const int64_t elements = p.heads * gdn::kStateSize;
  round_state<<<static_cast<unsigned>(elements / 256), 256, 0, gdn::stream_of(call)>>>(p.new_state, elements);
  return gdn::status();
}
