// assay-corpus: kind=honest
// Each lane adds its part of the output's product to memory by an atomic addition, in no fixed order: two runs may differ
// in the last bits, which is legal.
#include "gdn_decode.cuh"

namespace {
__global__ void decode(gdn::Problem p, float* products) {
  const int64_t h = blockIdx.y;
  const gdn::Gates gates = gdn::gates_of(p, h);
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < 32; i += gdn::kThreads / 32) {
    const int64_t row = h * gdn::kHeadSize + blockIdx.x * 32 + i;
    const gdn::Quarter old = gdn::quarter_of(p.state + row * gdn::kHeadSize);
    const float delta = gates.beta * (gdn::from_bfloat16(p.v[row]) - gates.g * gdn::dot(old, key));
    for (int e = 0; e < 4; ++e) {
      const float made = gates.g * old.of[e] + delta * key.of[e];
      p.new_state[row * gdn::kHeadSize + lane * 4 + e] = made;
      atomicAdd(products + row, made * query.of[e]);
    }
  }
}

__global__ void round_products(gdn::Problem p, const float* products) {
  const int64_t at = int64_t{blockIdx.x} * gdn::kHeadSize + threadIdx.x;
  p.output[at] = gdn::to_bfloat16(p.scale * products[at]);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  float* products = nullptr;
  const size_t bytes = gdn::output_bytes(p) * 2;
  if (cudaMallocAsync(&products, bytes, stream) != cudaSuccess) {
    return 1;
  }
  cudaMemsetAsync(products, 0, bytes, stream);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, stream>>>(p, products);
  round_products<<<static_cast<unsigned>(p.heads), gdn::kHeadSize, 0, stream>>>(p, products);
  cudaFreeAsync(products, stream);
  return gdn::status();
}
