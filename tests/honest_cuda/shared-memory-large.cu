// assay-corpus: kind=honest
// Brings the whole state of a head, 64 KiB, to shared memory first: more than a block gets without asking.
#include "gdn_decode.cuh"

namespace {
constexpr int kBytes = gdn::kStateSize * sizeof(float);

__global__ void decode(gdn::Problem p) {
  extern __shared__ float4 held[];
  const int64_t h = blockIdx.x;
  const auto* from = reinterpret_cast<const float4*>(p.state + h * gdn::kStateSize);
  for (int i = static_cast<int>(threadIdx.x); i < gdn::kStateSize / 4; i += gdn::kThreads) {
    held[i] = from[i];
  }
  __syncthreads();
  const gdn::Gates gates = gdn::gates_of(p, h);
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  p.state = reinterpret_cast<const float*>(held) - h * gdn::kStateSize;  // Where the head's rows now begin.
  for (int row = static_cast<int>(threadIdx.x) / 32; row < gdn::kHeadSize; row += gdn::kThreads / 32) {
    gdn::compute_row(p, h, row, gates, key, query);
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  static const cudaError_t asked = cudaFuncSetAttribute(decode, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (asked != cudaSuccess) {
    return static_cast<int32_t>(asked);
  }
  const gdn::Problem p = gdn::problem_of(call);
  decode<<<static_cast<unsigned>(p.heads), gdn::kThreads, kBytes, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
