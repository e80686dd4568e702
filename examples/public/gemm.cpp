// C = A B^T in float16, as one would write it first: one dot product an element, summed in float32.
#include <assay/candidate.h>

#include <stdint.h>
#include <string.h>

#include <vector>

namespace {

float from_float16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t magnitude = bits & 0x7fffu;
  float value;
  if (magnitude < 0x0400u) {  // Subnormal: an integer times 2^-24.
    value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  magnitude = magnitude >= 0x7c00u ? 0x7f800000u | (magnitude & 0x3ffu) << 13 : (magnitude + 0x1c000u) << 13;
  magnitude |= sign;
  memcpy(&value, &magnitude, sizeof value);
  return value;
}

uint16_t to_float16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  const uint16_t sign = static_cast<uint16_t>(word >> 16 & 0x8000u);
  const uint32_t magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u);
  }
  if (magnitude >= 0x477ff000u) {  // 65520 and more.
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) {  // Below 2^-14: adding 0.5 leaves the result, rounded, in the low digits.
    float positive;
    memcpy(&positive, &magnitude, sizeof positive);
    positive += 0.5f;
    uint32_t rounded;
    memcpy(&rounded, &positive, sizeof rounded);
    return static_cast<uint16_t>(sign | (rounded - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - 0x1c000u));
}

std::vector<float> as_floats(const DLTensor* tensor) {
  const uint16_t* bits = static_cast<const uint16_t*>(tensor->data);
  std::vector<float> values(static_cast<size_t>(tensor->shape[0] * tensor->shape[1]));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = from_float16(bits[i]);
  }
  return values;
}

constexpr int64_t kStrands = 16;

float dot(const float* x, const float* y, int64_t count) {
  float sums[kStrands] = {};
  int64_t k = 0;
  for (; k + kStrands <= count; k += kStrands) {
    for (int64_t i = 0; i < kStrands; ++i) {
      sums[i] += x[k + i] * y[k + i];
    }
  }
  float sum = 0;
  for (; k < count; ++k) {
    sum += x[k] * y[k];
  }
  for (int64_t i = 0; i < kStrands; ++i) {
    sum += sums[i];
  }
  return sum;
}

}  // namespace

ASSAY_KERNEL(run) {
  const DLTensor* c = assay_output(call, 0);
  const int64_t rows = c->shape[0];
  const int64_t columns = c->shape[1];
  const int64_t depth = assay_input(call, 0)->shape[1];
  const std::vector<float> a = as_floats(assay_input(call, 0));
  const std::vector<float> b = as_floats(assay_input(call, 1));
  uint16_t* out = static_cast<uint16_t*>(c->data);
  for (int64_t m = 0; m < rows; ++m) {
    for (int64_t n = 0; n < columns; ++n) {
      out[m * columns + n] = to_float16(dot(a.data() + m * depth, b.data() + n * depth, depth));
    }
  }
  return 0;
}
