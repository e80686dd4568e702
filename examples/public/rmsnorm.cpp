// output = x / sqrt(mean(x^2) + 1e-6) * weight in bfloat16, as one would write it first: two passes over each row.
#include <assay/candidate.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace {

constexpr float kEpsilon = 1e-6f;

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

}  // namespace

ASSAY_KERNEL(run) {
  const DLTensor* hidden_states = assay_input(call, 0);
  const uint16_t* weight = static_cast<const uint16_t*>(assay_input(call, 1)->data);
  const int64_t rows = hidden_states->shape[0];
  const int64_t width = hidden_states->shape[1];
  for (int64_t row = 0; row < rows; ++row) {
    const uint16_t* x = static_cast<const uint16_t*>(hidden_states->data) + row * width;
    uint16_t* y = static_cast<uint16_t*>(assay_output(call, 0)->data) + row * width;
    float sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      sum += from_bfloat16(x[i]) * from_bfloat16(x[i]);
    }
    const float inverse = 1.0f / sqrtf(sum / static_cast<float>(width) + kEpsilon);
    for (int64_t i = 0; i < width; ++i) {
      y[i] = to_bfloat16(from_bfloat16(x[i]) * inverse * from_bfloat16(weight[i]));
    }
  }
  return 0;
}
