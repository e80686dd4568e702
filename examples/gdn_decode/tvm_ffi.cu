// The decode step of the gated delta rule on a GPU, written for TVM-FFI as solutions of flashinfer-bench are: a function
// of tensor views and scalars, inputs before outputs, on the stream that the environment names. Computes what plain.cu
// does, four rows a block of four warps, the lanes of a warp across a row.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S' = g S + beta (v - g S k) k^T,               output = scale * S' q
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

namespace {

using tvm::ffi::TensorView;

constexpr int kValueHeads = 8;
constexpr int kValueHeadsPerQueryHead = 2;
constexpr int kHeadSize = 128;
constexpr int kWarp = 32;
constexpr int kWarps = 4;
constexpr int kPerLane = kHeadSize / kWarp;

struct Arguments {
  const __nv_bfloat16* q;
  const __nv_bfloat16* k;
  const __nv_bfloat16* v;
  const float* state;
  const float* a_log;
  const __nv_bfloat16* a;
  const float* dt_bias;
  const __nv_bfloat16* b;
  float scale;
  __nv_bfloat16* output;
  float* new_state;
};

__device__ float sum_of_warp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

__global__ void decode(Arguments p) {
  const int64_t h = blockIdx.x;  // Value heads of all sequences, one after the other.
  const int row = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  const int64_t query_at = h / kValueHeadsPerQueryHead * kHeadSize;

  const float x = __bfloat162float(p.a[h]) + p.dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  const float g = expf(-expf(p.a_log[h % kValueHeads]) * softplus);
  const float beta = 1.0f / (1.0f + expf(-__bfloat162float(p.b[h])));

  const int64_t row_at = (h * kHeadSize + row) * kHeadSize;
  float s[kPerLane];
  float key[kPerLane];
  float predicted = 0.0f;
  for (int i = 0; i < kPerLane; ++i) {
    const int j = i * kWarp + lane;
    key[i] = __bfloat162float(p.k[query_at + j]);
    s[i] = g * p.state[row_at + j];
    predicted += s[i] * key[i];
  }
  predicted = sum_of_warp(predicted);
  const float delta = beta * (__bfloat162float(p.v[h * kHeadSize + row]) - predicted);
  float sum = 0.0f;
  for (int i = 0; i < kPerLane; ++i) {
    const int j = i * kWarp + lane;
    s[i] += delta * key[i];
    p.new_state[row_at + j] = s[i];
    sum += s[i] * __bfloat162float(p.q[query_at + j]);
  }
  sum = sum_of_warp(sum);
  if (lane == 0) {
    p.output[h * kHeadSize + row] = __float2bfloat16(p.scale * sum);
  }
}

template <class T>
T* data(const TensorView& tensor) {
  return static_cast<T*>(tensor.data_ptr());
}

void run(TensorView q, TensorView k, TensorView v, TensorView state, TensorView a_log, TensorView a, TensorView dt_bias,
         TensorView b, double scale, TensorView output, TensorView new_state) {
  Arguments p;
  p.q = data<const __nv_bfloat16>(q);
  p.k = data<const __nv_bfloat16>(k);
  p.v = data<const __nv_bfloat16>(v);
  p.state = data<const float>(state);
  p.a_log = data<const float>(a_log);
  p.a = data<const __nv_bfloat16>(a);
  p.dt_bias = data<const float>(dt_bias);
  p.b = data<const __nv_bfloat16>(b);
  p.scale = static_cast<float>(scale == 0 ? 1.0 / std::sqrt(static_cast<double>(kHeadSize)) : scale);
  p.output = data<__nv_bfloat16>(output);
  p.new_state = data<float>(new_state);
  const DLDevice device = state.device();
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  const dim3 blocks(static_cast<unsigned>(state.size(0) * kValueHeads), kHeadSize / kWarps);
  decode<<<blocks, dim3(kWarp, kWarps), 0, stream>>>(p);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    TVM_FFI_THROW(RuntimeError) << "the kernel did not start: " << cudaGetErrorString(error);
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
