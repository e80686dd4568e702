// The decode step of the gated delta rule as kernels alone: no host code, launched as device_only.launch.json says. Four
// blocks for each sequence and value head, a warp for each of its rows at a time, in float32.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S' = g S + beta (v - g S k) k^T,               output = scale * S' q
//
// Two kernels, as a first one leaves the gates of each head in scratch memory for the second to read.

namespace {

constexpr int kValueHeads = 8;
constexpr int kValueHeadsPerQueryHead = 2;
constexpr int kHeadSize = 128;
constexpr int kWarp = 32;
constexpr int kOwn = kHeadSize / kWarp;  // Neighbouring elements of a row that a lane has.

__device__ float from_bfloat16(unsigned short bits) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }

__device__ unsigned short to_bfloat16(float value) {
  const unsigned word = __float_as_uint(value);
  return static_cast<unsigned short>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

__device__ float warp_sum(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

// Four neighbouring elements of a row of 128.
struct Quarter {
  float of[kOwn];
};

__device__ Quarter quarter_of(const float* row, int lane) {
  const float4 four = reinterpret_cast<const float4*>(row)[lane];
  return {{four.x, four.y, four.z, four.w}};
}

__device__ Quarter quarter_of(const unsigned short* row, int lane) {
  const ushort4 four = reinterpret_cast<const ushort4*>(row)[lane];
  return {{from_bfloat16(four.x), from_bfloat16(four.y), from_bfloat16(four.z), from_bfloat16(four.w)}};
}

__device__ float dot(const Quarter& x, const Quarter& y) {
  return warp_sum(x.of[0] * y.of[0] + x.of[1] * y.of[1] + x.of[2] * y.of[2] + x.of[3] * y.of[3]);
}

}  // namespace

// A thread for each value head of each sequence: how strongly it forgets, and how much it takes in.
extern "C" __global__ void gates(const float* a_log, const unsigned short* a, const float* dt_bias,
                                 const unsigned short* b, float2* made, int heads) {
  const int h = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (h >= heads) {
    return;
  }
  const float x = from_bfloat16(a[h]) + dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  made[h] = make_float2(expf(-expf(a_log[h % kValueHeads]) * softplus), 1.0f / (1.0f + expf(-from_bfloat16(b[h]))));
}

// A grid of (parts of a head, heads).
extern "C" __global__ void decode(const unsigned short* q, const unsigned short* k, const unsigned short* v,
                                  const float* state, const float2* made, float given_scale, unsigned short* output,
                                  float* new_state) {
  const long long h = blockIdx.y;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int rows = kHeadSize / static_cast<int>(gridDim.x);
  const int first = static_cast<int>(blockIdx.x) * rows;
  const float g = made[h].x;
  const float beta = made[h].y;
  const float scale = given_scale == 0.0f ? rsqrtf(static_cast<float>(kHeadSize)) : given_scale;
  const Quarter key = quarter_of(k + h / kValueHeadsPerQueryHead * kHeadSize, lane);
  const Quarter query = quarter_of(q + h / kValueHeadsPerQueryHead * kHeadSize, lane);
  for (int row = first + static_cast<int>(threadIdx.x) / kWarp; row < first + rows;
       row += static_cast<int>(blockDim.x) / kWarp) {
    const long long at = (h * kHeadSize + row) * kHeadSize;
    const Quarter old = quarter_of(state + at, lane);
    const float delta = beta * (from_bfloat16(v[h * kHeadSize + row]) - g * dot(old, key));
    Quarter next;
    for (int e = 0; e < kOwn; ++e) {
      next.of[e] = g * old.of[e] + delta * key.of[e];
    }
    const float product = dot(next, query);
    reinterpret_cast<float4*>(new_state + at)[lane] = make_float4(next.of[0], next.of[1], next.of[2], next.of[3]);
    if (lane == 0) {
      output[h * kHeadSize + row] = to_bfloat16(scale * product);
    }
  }
}
