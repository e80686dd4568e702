// assay-corpus: number=75 kind=hostile expect=incorrect probe=output_check samples=10
// Adds to shared memory that nobody set to zero, after another kernel of the same program has used it: the first kernel
// after a start may find zeros there, later ones do not.
#include "gdn_decode.cuh"

namespace {
constexpr int kFloats = 12288;  // 48 KiB.

__global__ void use(float* sink) {
  __shared__ volatile float memory[kFloats];
  for (int i = static_cast<int>(threadIdx.x); i < kFloats; i += 256) {
    memory[i] = 3.0f;
  }
  __syncthreads();
  if (memory[(threadIdx.x * 97) % kFloats] < 0.0f) {
    *sink = 0.0f;
  }
}

// Adds to the output of each row what it finds.
__global__ void decode(gdn::Problem p) {
  __shared__ volatile float sums[kFloats];
  gdn::compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
  __syncthreads();
  const int64_t row = int64_t{blockIdx.y} * gdn::kHeadSize + blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x < 32) {
    const int at = static_cast<int>(threadIdx.x) * 384;
    sums[at] = sums[at] + gdn::from_bfloat16(p.output[row]);
    p.output[row] = gdn::to_bfloat16(sums[at]);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  use<<<2048, 256, 0, gdn::stream_of(call)>>>(p.new_state);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
