// assay-corpus: kind=honest
// The product of key and query comes from tensor cores, whose products of bfloat16 are exact, and makes the output from the
// old state: S' q = g (S q) + beta (v - g S k) (k . q).
#include "gdn_decode.cuh"

#include <cuda_bf16.h>
#include <mma.h>

namespace {
using namespace nvcuda;

__global__ void decode(gdn::Problem p) {
  __shared__ __align__(32) __nv_bfloat16 keys[16][gdn::kHeadSize];     // The first row is the key.
  __shared__ __align__(32) __nv_bfloat16 queries[16][gdn::kHeadSize];  // The first column, if read by columns.
  __shared__ __align__(32) float products[16][16];
  const int64_t h = blockIdx.y;
  const int thread = static_cast<int>(threadIdx.x);
  const auto* key_bits = reinterpret_cast<const __nv_bfloat16*>(p.k + h / 2 * gdn::kHeadSize);
  const auto* query_bits = reinterpret_cast<const __nv_bfloat16*>(p.q + h / 2 * gdn::kHeadSize);
  for (int row = 0; row < 16; ++row) {
    keys[row][thread] = row == 0 ? key_bits[thread] : __float2bfloat16(0.0f);
    queries[row][thread] = row == 0 ? query_bits[thread] : __float2bfloat16(0.0f);
  }
  __syncthreads();
  if (thread < 32) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int j = 0; j < gdn::kHeadSize; j += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b;
      wmma::load_matrix_sync(a, &keys[0][j], gdn::kHeadSize);
      wmma::load_matrix_sync(b, &queries[0][j], gdn::kHeadSize);
      wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(&products[0][0], sum, 16, wmma::mem_row_major);
  }
  __syncthreads();

  const gdn::Gates gates = gdn::gates_of(p, h);
  const gdn::Quarter key = gdn::key_of(p, h);
  const gdn::Quarter query = gdn::query_of(p, h);
  for (int row = static_cast<int>(blockIdx.x) * 32 + thread / 32; row < (static_cast<int>(blockIdx.x) + 1) * 32;
       row += gdn::kThreads / 32) {
    const int64_t at = (h * gdn::kHeadSize + row) * gdn::kHeadSize;
    const gdn::Quarter old = gdn::quarter_of(p.state + at);
    const float predicted = gates.g * gdn::dot(old, key);
    const float delta = gates.beta * (gdn::from_bfloat16(p.v[h * gdn::kHeadSize + row]) - predicted);
    const float product = gates.g * gdn::dot(old, query) + delta * products[0][0];
    for (int e = 0; e < 4; ++e) {
      p.new_state[at + thread % 32 * 4 + e] = gates.g * old.of[e] + delta * key.of[e];
    }
    if (thread % 32 == 0) {
      p.output[h * gdn::kHeadSize + row] = gdn::to_bfloat16(p.scale * product);
    }
  }
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  decode<<<gdn::grid_of(p), gdn::kThreads, 0, gdn::stream_of(call)>>>(p);
  return gdn::status();
}
