// x = hidden_states + residual, output = x / sqrt(mean(x^2) + 1e-5) * weight in bfloat16, as one would write it first.
#include <assay/candidate.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <vector>

namespace {

constexpr float kEpsilon = 1e-5f;

float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

const uint16_t* data(const DLTensor* tensor) { return static_cast<const uint16_t*>(tensor->data); }

}  // namespace

ASSAY_KERNEL(run) {
  const uint16_t* hidden_states = data(assay_input(call, 0));
  const uint16_t* residual = data(assay_input(call, 1));
  const uint16_t* weight = data(assay_input(call, 2));
  const DLTensor* output = assay_output(call, 0);
  const int64_t width = output->shape[1];
  std::vector<float> x(static_cast<size_t>(width));
  for (int64_t row = 0; row < output->shape[0]; ++row) {
    float sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      const int64_t at = row * width + i;
      x[static_cast<size_t>(i)] = from_bfloat16(hidden_states[at]) + from_bfloat16(residual[at]);
      sum += x[static_cast<size_t>(i)] * x[static_cast<size_t>(i)];
    }
    const float inverse = 1.0f / sqrtf(sum / static_cast<float>(width) + kEpsilon);
    uint16_t* y = static_cast<uint16_t*>(output->data) + row * width;
    for (int64_t i = 0; i < width; ++i) {
      y[i] = to_bfloat16(x[static_cast<size_t>(i)] * inverse * from_bfloat16(weight[i]));
    }
  }
  return 0;
}
