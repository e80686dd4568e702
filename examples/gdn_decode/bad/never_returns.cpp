// Wrong: waits for a flag that nobody sets.
// Must get: timed_out.
#include <assay/candidate.h>

#include <math.h>
#include <string.h>

namespace {

constexpr int kQueryHeads = 4;
constexpr int kValueHeads = 8;
constexpr int kHeadSize = 128;

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

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

volatile bool finished = false;

}  // namespace

ASSAY_KERNEL(run) {
  const uint16_t* q = data<const uint16_t>(assay_input(call, 0));
  const uint16_t* k = data<const uint16_t>(assay_input(call, 1));
  const uint16_t* v = data<const uint16_t>(assay_input(call, 2));
  const float* state = data<const float>(assay_input(call, 3));
  const float* a_log = data<const float>(assay_input(call, 4));
  const uint16_t* a = data<const uint16_t>(assay_input(call, 5));
  const float* dt_bias = data<const float>(assay_input(call, 6));
  const uint16_t* b = data<const uint16_t>(assay_input(call, 7));
  const float given_scale = static_cast<float>(assay_scalar(call, 8));
  const float scale = given_scale == 0.0f ? 1.0f / sqrtf(kHeadSize) : given_scale;
  uint16_t* output = data<uint16_t>(assay_output(call, 0));
  float* new_state = data<float>(assay_output(call, 1));
  const int64_t heads = assay_input(call, 3)->shape[0] * kValueHeads;

  for (int64_t h = 0; h < heads; ++h) {
    const int64_t query_head = h / (kValueHeads / kQueryHeads);
    float key[kHeadSize];
    float query[kHeadSize];
    for (int j = 0; j < kHeadSize; ++j) {
      key[j] = from_bfloat16(k[query_head * kHeadSize + j]);
      query[j] = from_bfloat16(q[query_head * kHeadSize + j]);
    }
    const float x = from_bfloat16(a[h]) + dt_bias[h % kValueHeads];
    const float softplus = x > 20.0f ? x : log1pf(expf(x));
    const float g = expf(-expf(a_log[h % kValueHeads]) * softplus);
    const float beta = 1.0f / (1.0f + expf(-from_bfloat16(b[h])));

    for (int i = 0; i < kHeadSize; ++i) {
      const float* row = state + (h * kHeadSize + i) * kHeadSize;
      float* new_row = new_state + (h * kHeadSize + i) * kHeadSize;
      float predicted = 0.0f;
      for (int j = 0; j < kHeadSize; ++j) {
        predicted += g * row[j] * key[j];
      }
      const float delta = beta * (from_bfloat16(v[h * kHeadSize + i]) - predicted);
      float sum = 0.0f;
      for (int j = 0; j < kHeadSize; ++j) {
        new_row[j] = g * row[j] + delta * key[j];
        sum += new_row[j] * query[j];
      }
      output[h * kHeadSize + i] = to_bfloat16(scale * sum);
    }
  }
  while (!finished) {
  }
  return 0;
}
