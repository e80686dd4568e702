// The honest kernel that candidates of the self-test's corpus for GPUs share: a decode step of the gated delta rule, in
// parts. It is carried with each candidate that includes it.
#pragma once

#include <assay/candidate.h>

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace gdn {

constexpr int kQueryHeads = 4;
constexpr int kValueHeads = 8;
constexpr int kHeadSize = 128;
constexpr int64_t kStateSize = int64_t{kHeadSize} * kHeadSize;
constexpr int kThreads = 128;      // Of a block: four warps, each with one row at a time.
constexpr int kBlocksPerHead = 4;  // Each with 32 rows.

__host__ __device__ inline float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

__host__ __device__ inline uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

/// All arguments of one call; tensors lie in the device's memory.
struct Problem {
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
  int64_t batch;
  int64_t heads;  ///< Value heads of all sequences together.
};

template <class T>
T* data_of(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

inline cudaStream_t stream_of(const assay_call* call) { return static_cast<cudaStream_t>(assay_stream(call)); }

inline Problem problem_of(const assay_call* call) {
  Problem p;
  p.q = data_of<const uint16_t>(assay_input(call, 0));
  p.k = data_of<const uint16_t>(assay_input(call, 1));
  p.v = data_of<const uint16_t>(assay_input(call, 2));
  p.state = data_of<const float>(assay_input(call, 3));
  p.a_log = data_of<const float>(assay_input(call, 4));
  p.a = data_of<const uint16_t>(assay_input(call, 5));
  p.dt_bias = data_of<const float>(assay_input(call, 6));
  p.b = data_of<const uint16_t>(assay_input(call, 7));
  const float given = static_cast<float>(assay_scalar(call, 8));
  p.scale = given == 0.0f ? 1.0f / sqrtf(kHeadSize) : given;
  p.output = data_of<uint16_t>(assay_output(call, 0));
  p.new_state = data_of<float>(assay_output(call, 1));
  p.batch = assay_input(call, 3)->shape[0];
  p.heads = p.batch * kValueHeads;
  return p;
}

/// Bytes of the outputs.
inline size_t output_bytes(const Problem& p) { return static_cast<size_t>(p.heads * kHeadSize) * sizeof(uint16_t); }
inline size_t state_bytes(const Problem& p) { return static_cast<size_t>(p.heads * kStateSize) * sizeof(float); }

/// How strongly a head forgets, and how much it takes in.
struct Gates {
  float g;
  float beta;
};

__device__ inline Gates gates_of(const Problem& p, int64_t h) {
  const float x = from_bfloat16(p.a[h]) + p.dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  return {expf(-expf(p.a_log[h % kValueHeads]) * softplus), 1.0f / (1.0f + expf(-from_bfloat16(p.b[h])))};
}

__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

/// What a lane of a warp has of a row: four neighbouring elements.
struct Quarter {
  float of[4];
};

__device__ inline Quarter quarter_of(const float* row) {
  const float4 four = reinterpret_cast<const float4*>(row)[threadIdx.x % 32];
  return {{four.x, four.y, four.z, four.w}};
}
__device__ inline Quarter quarter_of(const uint16_t* row) {
  const ushort4 four = reinterpret_cast<const ushort4*>(row)[threadIdx.x % 32];
  return {{from_bfloat16(four.x), from_bfloat16(four.y), from_bfloat16(four.z), from_bfloat16(four.w)}};
}
__device__ inline float dot(const Quarter& x, const Quarter& y) {
  return warp_sum(x.of[0] * y.of[0] + x.of[1] * y.of[1] + x.of[2] * y.of[2] + x.of[3] * y.of[3]);
}

/// Key and query of a head, as far as a lane has them.
__device__ inline Quarter key_of(const Problem& p, int64_t h) { return quarter_of(p.k + h / 2 * kHeadSize); }
__device__ inline Quarter query_of(const Problem& p, int64_t h) { return quarter_of(p.q + h / 2 * kHeadSize); }

/// One row of a head's state, and the element of `output` that belongs to it, by one warp.
__device__ inline void compute_row(const Problem& p, int64_t h, int row, const Gates& gates, const Quarter& key,
                                   const Quarter& query) {
  const int64_t at = (h * kHeadSize + row) * kHeadSize;
  const Quarter old = quarter_of(p.state + at);
  const float delta = gates.beta * (from_bfloat16(p.v[h * kHeadSize + row]) - gates.g * dot(old, key));
  Quarter made;
  for (int e = 0; e < 4; ++e) {
    made.of[e] = gates.g * old.of[e] + delta * key.of[e];
  }
  const float product = dot(made, query);
  reinterpret_cast<float4*>(p.new_state + at)[threadIdx.x % 32] =
      make_float4(made.of[0], made.of[1], made.of[2], made.of[3]);
  if (threadIdx.x % 32 == 0) {
    p.output[h * kHeadSize + row] = to_bfloat16(p.scale * product);
  }
}

/// One quarter of a head's rows, by one block of kThreads threads.
__device__ inline void compute_part(const Problem& p, int64_t h, int part) {
  const Gates gates = gates_of(p, h);
  const Quarter key = key_of(p, h);
  const Quarter query = query_of(p, h);
  constexpr int kRows = kHeadSize / kBlocksPerHead;
  for (int row = static_cast<int>(threadIdx.x) / 32; row < kRows; row += kThreads / 32) {
    compute_row(p, h, part * kRows + row, gates, key, query);
  }
}

/// A grid of (kBlocksPerHead, heads) blocks of kThreads threads. A template, so that nobody misses it who has his own.
template <int kUnused = 0>
__global__ void step(Problem p) {
  compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
}

inline dim3 grid_of(const Problem& p) { return dim3(kBlocksPerHead, static_cast<unsigned>(p.heads)); }

/// Launches the honest kernel.
inline void launch(const Problem& p, cudaStream_t stream) { step<0><<<grid_of(p), kThreads, 0, stream>>>(p); }

/// The same again and again, in one launch: a host that launched slowly would give the device the time to keep pace, and
/// nothing would be left to hide.
template <int kUnused = 0>
__global__ void steps(Problem p, int times) {
  for (int i = 0; i < times; ++i) {
    compute_part(p, blockIdx.y, static_cast<int>(blockIdx.x));
  }
}

/// Launches the honest kernel's work as often as makes it surely slower than the baseline: work worth hiding, about a
/// millisecond.
inline void launch_slowly(const Problem& p, cudaStream_t stream) {
  steps<0><<<grid_of(p), kThreads, 0, stream>>>(p, 400);
}

/// What an entry point returns: 0, or why a launch failed.
inline int32_t status() { return static_cast<int32_t>(cudaGetLastError()); }

/// What a call left, kept in the device's memory to be given out again.
struct Outputs {
  uint16_t* output = nullptr;
  float* new_state = nullptr;
};

inline Outputs keep_outputs(const Problem& p, cudaStream_t stream) {
  Outputs kept;
  cudaMalloc(&kept.output, output_bytes(p));
  cudaMalloc(&kept.new_state, state_bytes(p));
  cudaMemcpyAsync(kept.output, p.output, output_bytes(p), cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(kept.new_state, p.new_state, state_bytes(p), cudaMemcpyDeviceToDevice, stream);
  return kept;
}

inline void replay(const Problem& p, const Outputs& kept, cudaStream_t stream) {
  cudaMemcpyAsync(p.output, kept.output, output_bytes(p), cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyAsync(p.new_state, kept.new_state, state_bytes(p), cudaMemcpyDeviceToDevice, stream);
}

}  // namespace gdn
