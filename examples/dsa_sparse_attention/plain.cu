// Attention over selected tokens on a GPU as one would write it first: a block for each row and head; logits, their
// maximum, then the weighted sum, in float32.
//
//   l(t) = (q_nope . ckv[t] + q_pe . kpe[t]) * sm_scale over the row's valid indices (-1 is none)
//   output = sum of softmax(l)(t) * ckv[t],  lse = log2 of the sum of e^l; a row without tokens gives 0 and -infinity
#include <assay/candidate.h>

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace {

constexpr int kCkv = 512;
constexpr int kKpe = 64;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kMostSlots = 2048;
constexpr int kColumns = kCkv / kThreads;  // Columns of the output that a thread adds up: neighbours.
static_assert(kColumns == 2 && kKpe == 64, "bfloat16 are loaded in pairs");

__device__ float from_bfloat16(uint32_t bits) {
  const uint32_t word = bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}
__device__ float low(uint32_t pair) { return from_bfloat16(pair & 0xffffu); }
__device__ float high(uint32_t pair) { return from_bfloat16(pair >> 16); }

__device__ uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

struct Arguments {
  const uint32_t* q_nope;  // Pairs of bfloat16.
  const uint32_t* q_pe;
  const uint32_t* ckv;
  const uint32_t* kpe;
  const int32_t* indices;
  float sm_scale;
  uint16_t* output;
  float* lse;
  int slots;
};

// The maximum or the sum over all threads of the block.
template <bool kMaximum>
__device__ float over_block(float value, float* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, value, distance);
    value = kMaximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();  // Whoever still reads the scratch of an earlier call.
  if (thread % 32 == 0) {
    scratch[thread / 32] = value;
  }
  __syncthreads();
  value = scratch[0];
  for (int warp = 1; warp < kWarps; ++warp) {
    value = kMaximum ? fmaxf(value, scratch[warp]) : value + scratch[warp];
  }
  return value;
}

// A grid of heads x rows.
__global__ void attend(Arguments p) {
  __shared__ float weight[kMostSlots];
  __shared__ int32_t token[kMostSlots];
  __shared__ float scratch[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;  // Of output and lse.
  const int32_t* indices = p.indices + static_cast<int64_t>(blockIdx.y) * p.slots;

  // A warp for each slot; a lane has every 32nd pair.
  constexpr int kPairs = kCkv / 64;
  uint32_t query[kPairs];
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    query[i] = p.q_nope[row * (kCkv / 2) + i * 32 + lane];
  }
  const uint32_t query_pe = p.q_pe[row * (kKpe / 2) + lane];
  for (int slot = thread / 32; slot < p.slots; slot += kWarps) {
    const int32_t id = indices[slot];
    float sum = 0.0f;
    if (id >= 0) {
      const uint32_t* key = p.ckv + static_cast<int64_t>(id) * (kCkv / 2);
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        const uint32_t pair = key[i * 32 + lane];
        sum += low(query[i]) * low(pair) + high(query[i]) * high(pair);
      }
      const uint32_t pair = p.kpe[static_cast<int64_t>(id) * (kKpe / 2) + lane];
      sum += low(query_pe) * low(pair) + high(query_pe) * high(pair);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0) {
      weight[slot] = id >= 0 ? sum * p.sm_scale : -INFINITY;
      token[slot] = id;
    }
  }
  __syncthreads();

  float largest = -INFINITY;
  for (int slot = thread; slot < p.slots; slot += kThreads) {
    largest = fmaxf(largest, weight[slot]);
  }
  largest = over_block<true>(largest, scratch);
  float total = 0.0f;
  for (int slot = thread; slot < p.slots; slot += kThreads) {
    weight[slot] = token[slot] >= 0 ? expf(weight[slot] - largest) : 0.0f;
    total += weight[slot];
  }
  total = over_block<false>(total, scratch);  // Its barriers also make the weights visible to all.

  float sum[kColumns] = {};
#pragma unroll 8
  for (int slot = 0; slot < p.slots; ++slot) {
    if (token[slot] >= 0) {
      const uint32_t pair = p.ckv[static_cast<int64_t>(token[slot]) * (kCkv / 2) + thread];
      sum[0] += weight[slot] * low(pair);
      sum[1] += weight[slot] * high(pair);
    }
  }
  for (int i = 0; i < kColumns; ++i) {
    p.output[row * kCkv + thread * kColumns + i] = to_bfloat16(total > 0.0f ? sum[i] / total : 0.0f);
  }
  if (thread == 0) {
    p.lse[row] = total > 0.0f ? (largest + logf(total)) * 1.44269504088896341f : -INFINITY;
  }
}

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

}  // namespace

ASSAY_KERNEL(run) {
  const DLTensor* q = assay_input(call, 0);
  Arguments p;
  p.q_nope = data<const uint32_t>(q);
  p.q_pe = data<const uint32_t>(assay_input(call, 1));
  p.ckv = data<const uint32_t>(assay_input(call, 2));
  p.kpe = data<const uint32_t>(assay_input(call, 3));
  p.indices = data<const int32_t>(assay_input(call, 4));
  p.sm_scale = static_cast<float>(assay_scalar(call, 5));
  p.output = data<uint16_t>(assay_output(call, 0));
  p.lse = data<float>(assay_output(call, 1));
  p.slots = static_cast<int>(assay_input(call, 4)->shape[1]);
  if (q->shape[2] != kCkv || assay_input(call, 1)->shape[2] != kKpe || p.slots > kMostSlots) {
    return -1;  // Written for these sizes alone.
  }
  const dim3 grid(static_cast<unsigned>(q->shape[1]), static_cast<unsigned>(q->shape[0]));
  attend<<<grid, kThreads, 0, static_cast<cudaStream_t>(assay_stream(call))>>>(p);
  return static_cast<int32_t>(cudaGetLastError());
}
