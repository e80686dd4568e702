// The decode step of the gated delta rule on a GPU as one would write it first: a block for each sequence and value head,
// a thread for each row of its state, two loops over the row in float32.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S' = g S + beta (v - g S k) k^T,               output = scale * S' q
#include <assay/candidate.h>

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace {

constexpr int kValueHeads = 8;
constexpr int kValueHeadsPerQueryHead = 2;
constexpr int kHeadSize = 128;

__device__ float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

__device__ uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

struct Arguments {
  const uint16_t* q;
  const uint16_t* k;
  const uint16_t* v;
  const float* state;
  const float* a_log;
  const uint16_t* a;
  const float* dt_bias;
  const uint16_t* b;
  float scale;
  uint16_t* output;
  float* new_state;
};

__global__ void decode(Arguments p) {
  __shared__ float key[kHeadSize];
  __shared__ float query[kHeadSize];
  const int64_t h = blockIdx.x;  // Value heads of all sequences, one after the other.
  const int i = static_cast<int>(threadIdx.x);
  const int64_t query_at = h / kValueHeadsPerQueryHead * kHeadSize;
  key[i] = from_bfloat16(p.k[query_at + i]);
  query[i] = from_bfloat16(p.q[query_at + i]);
  __syncthreads();

  const float x = from_bfloat16(p.a[h]) + p.dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  const float g = expf(-expf(p.a_log[h % kValueHeads]) * softplus);
  const float beta = 1.0f / (1.0f + expf(-from_bfloat16(p.b[h])));

  const float* row = p.state + (h * kHeadSize + i) * kHeadSize;
  float* new_row = p.new_state + (h * kHeadSize + i) * kHeadSize;
  float predicted = 0.0f;
  for (int j = 0; j < kHeadSize; ++j) {
    predicted += g * row[j] * key[j];
  }
  const float delta = beta * (from_bfloat16(p.v[h * kHeadSize + i]) - predicted);
  float sum = 0.0f;
  for (int j = 0; j < kHeadSize; ++j) {
    const float s = g * row[j] + delta * key[j];
    new_row[j] = s;
    sum += s * query[j];
  }
  p.output[h * kHeadSize + i] = to_bfloat16(p.scale * sum);
}

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

}  // namespace

ASSAY_KERNEL(run) {
  Arguments p;
  p.q = data<const uint16_t>(assay_input(call, 0));
  p.k = data<const uint16_t>(assay_input(call, 1));
  p.v = data<const uint16_t>(assay_input(call, 2));
  p.state = data<const float>(assay_input(call, 3));
  p.a_log = data<const float>(assay_input(call, 4));
  p.a = data<const uint16_t>(assay_input(call, 5));
  p.dt_bias = data<const float>(assay_input(call, 6));
  p.b = data<const uint16_t>(assay_input(call, 7));
  const float given_scale = static_cast<float>(assay_scalar(call, 8));
  p.scale = given_scale == 0.0f ? 1.0f / sqrtf(kHeadSize) : given_scale;
  p.output = data<uint16_t>(assay_output(call, 0));
  p.new_state = data<float>(assay_output(call, 1));
  const auto heads = static_cast<unsigned>(assay_input(call, 3)->shape[0] * kValueHeads);
  decode<<<heads, kHeadSize, 0, static_cast<cudaStream_t>(assay_stream(call))>>>(p);
  return static_cast<int32_t>(cudaGetLastError());
}
