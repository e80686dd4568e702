// The decode step of the gated delta rule on the CPU, written for TVM-FFI as solutions of flashinfer-bench are. What the
// scenario tests plant replaces the line that says so.
#include <tvm/ffi/tvm_ffi.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

using tvm::ffi::TensorView;

constexpr int64_t kQueryHeads = 4;
constexpr int64_t kValueHeads = 8;
constexpr int64_t kSize = 128;

float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

uint16_t to_bfloat16(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

template <class T>
T* data(TensorView tensor) {
  return static_cast<T*>(tensor.data_ptr());
}

void decode(TensorView q, TensorView k, TensorView v, TensorView state, TensorView a_log, TensorView a,
            TensorView dt_bias, TensorView b, double scale, TensorView output, TensorView new_state) {
  // planted
  const float factor = static_cast<float>(scale == 0 ? 1 / std::sqrt(static_cast<double>(kSize)) : scale);
  for (int64_t h = 0; h < state.size(0) * kValueHeads; ++h) {
    const int64_t query_at = h / (kValueHeads / kQueryHeads) * kSize;
    const float x = from_bfloat16(data<uint16_t>(a)[h]) + data<float>(dt_bias)[h % kValueHeads];
    const float softplus = x > 20 ? x : std::log1p(std::exp(x));
    const float g = std::exp(-std::exp(data<float>(a_log)[h % kValueHeads]) * softplus);
    const float beta = 1 / (1 + std::exp(-from_bfloat16(data<uint16_t>(b)[h])));
    for (int64_t i = 0; i < kSize; ++i) {
      const float* row = data<float>(state) + (h * kSize + i) * kSize;
      float* new_row = data<float>(new_state) + (h * kSize + i) * kSize;
      float predicted = 0;
      for (int64_t j = 0; j < kSize; ++j) {
        predicted += g * row[j] * from_bfloat16(data<uint16_t>(k)[query_at + j]);
      }
      const float delta = beta * (from_bfloat16(data<uint16_t>(v)[h * kSize + i]) - predicted);
      float sum = 0;
      for (int64_t j = 0; j < kSize; ++j) {
        new_row[j] = g * row[j] + delta * from_bfloat16(data<uint16_t>(k)[query_at + j]);
        sum += new_row[j] * from_bfloat16(data<uint16_t>(q)[query_at + j]);
      }
      data<uint16_t>(output)[h * kSize + i] = to_bfloat16(factor * sum);
    }
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, decode);
