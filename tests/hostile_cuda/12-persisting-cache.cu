// assay-corpus: number=12 kind=hostile expect=indistinguishable|not_better probe=none stage=gate
// The baseline's kernel, and a window over state and new_state whose lines stay in the second-level cache: a flush that
// respects it leaves the state there for the next call. The worker must give the lines back before it flushes.
#include "gdn_decode.cuh"

namespace {
// A thread for each row, two loops over it: as slow as the baseline.
__global__ void by_rows(gdn::Problem p) {
  __shared__ float key[gdn::kHeadSize];
  __shared__ float query[gdn::kHeadSize];
  const int64_t h = blockIdx.x;
  const int i = static_cast<int>(threadIdx.x);
  key[i] = gdn::from_bfloat16(p.k[h / 2 * gdn::kHeadSize + i]);
  query[i] = gdn::from_bfloat16(p.q[h / 2 * gdn::kHeadSize + i]);
  __syncthreads();
  const gdn::Gates gates = gdn::gates_of(p, h);
  const int64_t at = (h * gdn::kHeadSize + i) * gdn::kHeadSize;
  float predicted = 0.0f;
  for (int j = 0; j < gdn::kHeadSize; ++j) {
    predicted += gates.g * p.state[at + j] * key[j];
  }
  const float delta = gates.beta * (gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]) - predicted);
  float sum = 0.0f;
  for (int j = 0; j < gdn::kHeadSize; ++j) {
    const float s = gates.g * p.state[at + j] + delta * key[j];
    p.new_state[at + j] = s;
    sum += s * query[j];
  }
  p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * sum);
}

void pin(cudaStream_t stream, const void* base, size_t bytes) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = const_cast<void*>(base);
  value.accessPolicyWindow.num_bytes = bytes;
  value.accessPolicyWindow.hitRatio = 1.0f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}
}  // namespace

ASSAY_KERNEL(run) {
  static const cudaError_t limit = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t{32} << 20);
  const gdn::Problem p = gdn::problem_of(call);
  pin(gdn::stream_of(call), p.state, gdn::state_bytes(p));
  by_rows<<<static_cast<unsigned>(p.heads), gdn::kHeadSize, 0, gdn::stream_of(call)>>>(p);
  return limit == cudaSuccess ? gdn::status() : static_cast<int32_t>(limit);
}
