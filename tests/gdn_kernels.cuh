// The honest step of the gated delta rule as device code alone, in parts, for candidates without host code: it needs no
// header that a run-time compiler lacks. Launched as gdn_kernels.launch.json says. Carried with each candidate that
// includes it.
#pragma once

namespace gdn {

constexpr int kValueHeads = 8;
constexpr int kHeadSize = 128;

__device__ inline float from_bfloat16(unsigned short bits) {
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
}

__device__ inline unsigned short to_bfloat16(float value) {
  const unsigned word = __float_as_uint(value);
  return static_cast<unsigned short>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

/// All arguments of a call, as a kernel gets them.
struct Problem {
  const unsigned short* q;
  const unsigned short* k;
  const unsigned short* v;
  const float* state;
  const float* a_log;
  const unsigned short* a;
  const float* dt_bias;
  const unsigned short* b;
  float scale;
  unsigned short* output;
  float* new_state;
};

/// What a lane of a warp has of a row: four neighbouring elements.
struct Quarter {
  float of[4];
};

__device__ inline Quarter quarter_of(const float* row) {
  const float4 four = reinterpret_cast<const float4*>(row)[threadIdx.x % 32];
  return {{four.x, four.y, four.z, four.w}};
}

__device__ inline Quarter quarter_of(const unsigned short* row) {
  const ushort4 four = reinterpret_cast<const ushort4*>(row)[threadIdx.x % 32];
  return {{from_bfloat16(four.x), from_bfloat16(four.y), from_bfloat16(four.z), from_bfloat16(four.w)}};
}

__device__ inline float dot(const Quarter& x, const Quarter& y) {
  float sum = x.of[0] * y.of[0] + x.of[1] * y.of[1] + x.of[2] * y.of[2] + x.of[3] * y.of[3];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  return sum;
}

/// Rows `first` to `last` of a head's state, and the elements of `output` that belong to them, by one block of warps.
__device__ inline void compute_rows(const Problem& p, long long h, int first, int last) {
  const float x = from_bfloat16(p.a[h]) + p.dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  const float g = expf(-expf(p.a_log[h % kValueHeads]) * softplus);
  const float beta = 1.0f / (1.0f + expf(-from_bfloat16(p.b[h])));
  const float scale = p.scale == 0.0f ? rsqrtf(static_cast<float>(kHeadSize)) : p.scale;
  const Quarter key = quarter_of(p.k + h / 2 * kHeadSize);
  const Quarter query = quarter_of(p.q + h / 2 * kHeadSize);
  for (int row = first + static_cast<int>(threadIdx.x) / 32; row < last; row += static_cast<int>(blockDim.x) / 32) {
    const long long at = (h * kHeadSize + row) * kHeadSize;
    const Quarter old = quarter_of(p.state + at);
    const float delta = beta * (from_bfloat16(p.v[h * kHeadSize + row]) - g * dot(old, key));
    Quarter made;
    for (int e = 0; e < 4; ++e) {
      made.of[e] = g * old.of[e] + delta * key.of[e];
    }
    const float product = dot(made, query);
    reinterpret_cast<float4*>(p.new_state + at)[threadIdx.x % 32] =
        make_float4(made.of[0], made.of[1], made.of[2], made.of[3]);
    if (threadIdx.x % 32 == 0) {
      p.output[h * kHeadSize + row] = to_bfloat16(scale * product);
    }
  }
}

/// The part of this block, of a grid of (parts of a head, heads).
__device__ inline void compute_part(const Problem& p) {
  const int rows = kHeadSize / static_cast<int>(gridDim.x);
  const int first = static_cast<int>(blockIdx.x) * rows;
  compute_rows(p, blockIdx.y, first, first + rows);
}

}  // namespace gdn

/// The kernel of gdn_kernels.launch.json. `scratch` has 1,024 floats for each sequence.
#define GDN_DECODE                                                                                             \
  extern "C" __global__ void decode(                                                                           \
      const unsigned short* q, const unsigned short* k, const unsigned short* v, const float* state,           \
      const float* a_log, const unsigned short* a, const float* dt_bias, const unsigned short* b, float scale, \
      unsigned short* output, float* new_state, [[maybe_unused]] float* scratch, [[maybe_unused]] int heads)
#define GDN_PROBLEM {q, k, v, state, a_log, a, dt_bias, b, scale, output, new_state}
