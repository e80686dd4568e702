// The gated delta rule over whole sequences on a GPU as one would write it first: token after token, in float32. Rows of a
// state do not touch each other, so eight threads keep one row in registers from the first token to the last.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S = g S + beta (v - g S k) k^T,                output = scale * S q
// Sequence i has the tokens cu_seqlens[i] to cu_seqlens[i + 1]; one without tokens leaves a state of zeros.
#include <assay/candidate.h>

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace {

constexpr int kHeadSize = 128;
constexpr int kLanes = 8;                 // Threads of a row.
constexpr int kOwn = kHeadSize / kLanes;  // Elements of a row that one of them has.
constexpr int kThreads = 256;
constexpr int kRows = kThreads / kLanes;  // Rows of a block.
constexpr int kTokens = 16;               // Tokens that are brought to shared memory together.

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
  const int64_t* cu_seqlens;
  float scale;
  uint16_t* output;
  float* new_state;
  int64_t query_heads;
  int64_t heads;
};

// Where element `own` of thread `lane` lies in its row: four neighbours at a time, so that the threads of a row read 128
// bytes together.
__device__ int element(int lane, int own) { return own / 4 * (kLanes * 4) + lane * 4 + own % 4; }

__device__ float row_sum(float value) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

// A grid of kHeadSize / kRows x heads x sequences.
__global__ void prefill(Arguments p) {
  __shared__ float key[kTokens][kHeadSize];
  __shared__ float query[kTokens][kHeadSize];
  __shared__ float value[kTokens][kRows];
  __shared__ float gate[kTokens];
  __shared__ float beta[kTokens];
  const int64_t head = blockIdx.y;
  const int64_t sequence = blockIdx.z;
  const int64_t query_head = head / (p.heads / p.query_heads);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kLanes;
  const int row = thread / kLanes;  // In the block; in the head it is first_row + row.
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * kRows;
  const int64_t row_at = ((sequence * p.heads + head) * kHeadSize + first_row + row) * kHeadSize;
  const int64_t first = p.cu_seqlens[sequence];
  const int64_t last = p.cu_seqlens[sequence + 1];

  float s[kOwn];
#pragma unroll
  for (int e = 0; e < kOwn; ++e) {
    s[e] = first == last ? 0.0f : p.state[row_at + element(lane, e)];
  }
  for (int64_t begin = first; begin < last; begin += kTokens) {
    const int count = static_cast<int>(last - begin < kTokens ? last - begin : kTokens);
    for (int i = thread; i < count * kHeadSize; i += kThreads) {
      const int64_t at = ((begin + i / kHeadSize) * p.query_heads + query_head) * kHeadSize + i % kHeadSize;
      key[i / kHeadSize][i % kHeadSize] = from_bfloat16(p.k[at]);
      query[i / kHeadSize][i % kHeadSize] = from_bfloat16(p.q[at]);
    }
    for (int i = thread; i < count * kRows; i += kThreads) {
      value[i / kRows][i % kRows] =
          from_bfloat16(p.v[((begin + i / kRows) * p.heads + head) * kHeadSize + first_row + i % kRows]);
    }
    if (thread < count) {
      const int64_t at = (begin + thread) * p.heads + head;
      const float x = from_bfloat16(p.a[at]) + p.dt_bias[head];
      const float softplus = x > 20.0f ? x : log1pf(expf(x));
      gate[thread] = expf(-expf(p.a_log[head]) * softplus);
      beta[thread] = 1.0f / (1.0f + expf(-from_bfloat16(p.b[at])));
    }
    __syncthreads();
    for (int token = 0; token < count; ++token) {
      float predicted = 0.0f;
#pragma unroll
      for (int e = 0; e < kOwn; ++e) {
        s[e] *= gate[token];
        predicted += s[e] * key[token][element(lane, e)];
      }
      const float delta = beta[token] * (value[token][row] - row_sum(predicted));
      float product = 0.0f;
#pragma unroll
      for (int e = 0; e < kOwn; ++e) {
        s[e] += delta * key[token][element(lane, e)];
        product += s[e] * query[token][element(lane, e)];
      }
      product = row_sum(product);
      if (lane == 0) {
        p.output[((begin + token) * p.heads + head) * kHeadSize + first_row + row] = to_bfloat16(p.scale * product);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < kOwn; ++e) {
    p.new_state[row_at + element(lane, e)] = s[e];
  }
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
  p.cu_seqlens = data<const int64_t>(assay_input(call, 8));
  const float given_scale = static_cast<float>(assay_scalar(call, 9));
  p.scale = given_scale == 0.0f ? 1.0f / sqrtf(kHeadSize) : given_scale;
  p.output = data<uint16_t>(assay_output(call, 0));
  p.new_state = data<float>(assay_output(call, 1));
  p.query_heads = assay_input(call, 0)->shape[1];
  p.heads = assay_input(call, 2)->shape[1];
  if (assay_input(call, 2)->shape[2] != kHeadSize) {
    return -1;  // Written for this size of heads alone.
  }
  const auto heads = static_cast<unsigned>(p.heads);
  const auto sequences = static_cast<unsigned>(assay_input(call, 3)->shape[0]);
  prefill<<<dim3(kHeadSize / kRows, heads, sequences), kThreads, 0, static_cast<cudaStream_t>(assay_stream(call))>>>(p);
  return static_cast<int32_t>(cudaGetLastError());
}
