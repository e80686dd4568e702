// The decode step of the gated delta rule for a GPU, with its decisions left open. Each macro below is a parameter that a
// tuner may set; the values here are what one gets without a tuner. All are powers of two where they are sizes.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S' = g S + beta (v - g S k) k^T,               output = scale * S' q
//
// The state is read once and written once, and that is nearly all of the time: what matters is how many bytes are on their
// way at any moment. A row stays in registers between its two uses. LANES threads share a row, a group of them has
// ROWS_IN_FLIGHT rows at a time, and a block has ROWS_PER_BLOCK of a head's 128 rows.
#include <assay/candidate.h>

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// Rows of one head that a block computes: more blocks for small batches, fewer for large ones.
#ifndef ROWS_PER_BLOCK
#define ROWS_PER_BLOCK 32
#endif
// Threads along the key dimension.
#ifndef LANES
#define LANES 32
#endif
// Floats in one load or store: 1, 2 or 4.
#ifndef VECTOR_WIDTH
#define VECTOR_WIDTH 4
#endif
// Rows that a group of LANES threads holds in registers at the same time.
#ifndef ROWS_IN_FLIGHT
#define ROWS_IN_FLIGHT 4
#endif
// Warps of a block.
#ifndef WARPS
#define WARPS 4
#endif
// Copies of the loop over rows that the compiler makes, so that loads of the next rows may begin early.
#ifndef UNROLL
#define UNROLL 1
#endif
// How the state is read: 0 as any other data, 1 through the read-only path, 2 streamed (first to be evicted), 3 past the
// first-level cache.
#ifndef LOAD_HINT
#define LOAD_HINT 1
#endif
// How the new state is written: 0 as any other data, 1 streamed (first to be evicted), 2 past the first-level cache.
#ifndef STORE_HINT
#define STORE_HINT 0
#endif
// Blocks that shall fit on a multiprocessor at once, which bounds the registers; 0: the compiler decides.
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 0
#endif
// 0: the product with the query comes from the new row. 1: both products come from the old row, for
// S' q = g (S q) + beta (v - g S k) (k . q): the row's two sums are then made at the same time.
#ifndef BOTH_FROM_OLD
#define BOTH_FROM_OLD 0
#endif

namespace {

constexpr int kValueHeads = 8;
constexpr int kValueHeadsPerQueryHead = 2;
constexpr int kHeadSize = 128;
constexpr int kThreads = WARPS * 32;
constexpr int kGroups = kThreads / LANES;
constexpr int kRowsPerStep = kGroups * ROWS_IN_FLIGHT;
constexpr int kSteps = ROWS_PER_BLOCK / kRowsPerStep;
constexpr int kUnroll = UNROLL;  // A pragma does not see macros.
constexpr int kBlocksPerHead = kHeadSize / ROWS_PER_BLOCK;
constexpr int kChunk = LANES * VECTOR_WIDTH;  // Elements of a row that a group loads at once.
constexpr int kChunks = kHeadSize / kChunk;   // Loads of a thread for a row.
constexpr int kOwn = kChunks * VECTOR_WIDTH;  // Elements of a row that a thread has.
static_assert(kHeadSize % ROWS_PER_BLOCK == 0, "ROWS_PER_BLOCK must divide the head");
static_assert(kRowsPerStep <= ROWS_PER_BLOCK && ROWS_PER_BLOCK % kRowsPerStep == 0,
              "groups must tile the block's rows");
static_assert(kChunks >= 1 && kHeadSize % kChunk == 0, "LANES * VECTOR_WIDTH must divide a row");
static_assert(32 % LANES == 0, "a group must lie in one warp");

template <int kWidth>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Type = float;
};
template <>
struct VectorOf<2> {
  using Type = float2;
};
template <>
struct VectorOf<4> {
  using Type = float4;
};
using Vector = VectorOf<VECTOR_WIDTH>::Type;

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

__device__ __forceinline__ float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

__device__ __forceinline__ uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

__device__ __forceinline__ Vector load(const Vector* from) {
#if LOAD_HINT == 1
  return __ldg(from);
#elif LOAD_HINT == 2
  return __ldcs(from);
#elif LOAD_HINT == 3
  return __ldcg(from);
#else
  return *from;
#endif
}

__device__ __forceinline__ void store(Vector* to, const Vector& value) {
#if STORE_HINT == 1
  __stcs(to, value);
#elif STORE_HINT == 2
  __stcg(to, value);
#else
  *to = value;
#endif
}

// Where a thread's element `own` (0 to kOwn - 1) lies in its row.
__device__ __forceinline__ int element(int lane, int own) {
  return own / VECTOR_WIDTH * kChunk + lane * VECTOR_WIDTH + own % VECTOR_WIDTH;
}

// Adds up over the LANES threads of a group; each gets the sum.
__device__ __forceinline__ float group_sum(float value) {
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

__device__ __forceinline__ float row_dot(const float* row, const float* with) {
  float sum = 0.0f;
#pragma unroll
  for (int e = 0; e < kOwn; ++e) {
    sum += row[e] * with[e];
  }
  return sum;
}

#if BLOCKS_PER_SM > 0
__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM) decode(Arguments p) {
#else
__global__ void __launch_bounds__(kThreads) decode(Arguments p) {
#endif
  const int64_t h = blockIdx.x / kBlocksPerHead;  // Value heads of all sequences, one after the other.
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int group = static_cast<int>(threadIdx.x) / LANES;
  const int first_row = static_cast<int>(blockIdx.x % kBlocksPerHead) * ROWS_PER_BLOCK + group * ROWS_IN_FLIGHT;
  const float* state = p.state + h * kHeadSize * kHeadSize;
  float* new_state = p.new_state + h * kHeadSize * kHeadSize;

  float key[kOwn];
  float query[kOwn];
#pragma unroll
  for (int e = 0; e < kOwn; ++e) {
    const int64_t at = h / kValueHeadsPerQueryHead * kHeadSize + element(lane, e);
    key[e] = from_bfloat16(p.k[at]);
    query[e] = from_bfloat16(p.q[at]);
  }
  const float x = from_bfloat16(p.a[h]) + p.dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  const float g = expf(-expf(p.a_log[h % kValueHeads]) * softplus);
  const float beta = 1.0f / (1.0f + expf(-from_bfloat16(p.b[h])));
#if BOTH_FROM_OLD
  const float key_dot_query = group_sum(row_dot(key, query));
#endif

#pragma unroll kUnroll
  for (int step = 0; step < kSteps; ++step) {
    const int row = first_row + step * kRowsPerStep;
    float s[ROWS_IN_FLIGHT][kOwn];
#pragma unroll
    for (int r = 0; r < ROWS_IN_FLIGHT; ++r) {
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const Vector vector =
            load(reinterpret_cast<const Vector*>(state + (row + r) * kHeadSize + element(lane, c * VECTOR_WIDTH)));
        memcpy(&s[r][c * VECTOR_WIDTH], &vector, sizeof vector);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS_IN_FLIGHT; ++r) {
      const float predicted = g * group_sum(row_dot(s[r], key));
      const float delta = beta * (from_bfloat16(p.v[h * kHeadSize + row + r]) - predicted);
#if BOTH_FROM_OLD
      const float product = g * group_sum(row_dot(s[r], query)) + delta * key_dot_query;
#endif
#pragma unroll
      for (int e = 0; e < kOwn; ++e) {
        s[r][e] = g * s[r][e] + delta * key[e];
      }
#if !BOTH_FROM_OLD
      const float product = group_sum(row_dot(s[r], query));
#endif
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        Vector vector;
        memcpy(&vector, &s[r][c * VECTOR_WIDTH], sizeof vector);
        store(reinterpret_cast<Vector*>(new_state + (row + r) * kHeadSize + element(lane, c * VECTOR_WIDTH)), vector);
      }
      if (lane == 0) {
        p.output[h * kHeadSize + row + r] = to_bfloat16(p.scale * product);
      }
    }
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
  const float given_scale = static_cast<float>(assay_scalar(call, 8));
  p.scale = given_scale == 0.0f ? 1.0f / sqrtf(kHeadSize) : given_scale;
  p.output = data<uint16_t>(assay_output(call, 0));
  p.new_state = data<float>(assay_output(call, 1));
  const auto heads = static_cast<unsigned>(assay_input(call, 3)->shape[0] * kValueHeads);
  decode<<<heads * kBlocksPerHead, kThreads, 0, static_cast<cudaStream_t>(assay_stream(call))>>>(p);
  return static_cast<int32_t>(cudaGetLastError());
}
