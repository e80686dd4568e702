// assay-corpus: kind=honest
// Written in C.
#include <assay/candidate.h>

#include <math.h>
#include <string.h>

enum { kQueryHeads = 4, kValueHeads = 8, kSize = 128 };

static float from_bfloat16(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

ASSAY_KERNEL(run) {
  const uint16_t* q = assay_input(call, 0)->data;
  const uint16_t* k = assay_input(call, 1)->data;
  const uint16_t* v = assay_input(call, 2)->data;
  const float* state = assay_input(call, 3)->data;
  const float* a_log = assay_input(call, 4)->data;
  const uint16_t* a = assay_input(call, 5)->data;
  const float* dt_bias = assay_input(call, 6)->data;
  const uint16_t* b = assay_input(call, 7)->data;
  const float given = (float)assay_scalar(call, 8);
  const float scale = given == 0.0f ? 1.0f / sqrtf(kSize) : given;
  uint16_t* output = assay_output(call, 0)->data;
  float* new_state = assay_output(call, 1)->data;
  const int64_t heads = assay_input(call, 3)->shape[0] * kValueHeads;

  for (int64_t h = 0; h < heads; ++h) {
    const uint16_t* key = k + h / (kValueHeads / kQueryHeads) * kSize;
    const uint16_t* query = q + h / (kValueHeads / kQueryHeads) * kSize;
    const float x = from_bfloat16(a[h]) + dt_bias[h % kValueHeads];
    const float g = expf(-expf(a_log[h % kValueHeads]) * (x > 20.0f ? x : log1pf(expf(x))));
    const float beta = 1.0f / (1.0f + expf(-from_bfloat16(b[h])));
    for (int i = 0; i < kSize; ++i) {
      const float* row = state + (h * kSize + i) * kSize;
      float* new_row = new_state + (h * kSize + i) * kSize;
      float predicted = 0.0f;
      for (int j = 0; j < kSize; ++j) {
        predicted += g * row[j] * from_bfloat16(key[j]);
      }
      const float delta = beta * (from_bfloat16(v[h * kSize + i]) - predicted);
      float sum = 0.0f;
      for (int j = 0; j < kSize; ++j) {
        new_row[j] = g * row[j] + delta * from_bfloat16(key[j]);
        sum += new_row[j] * from_bfloat16(query[j]);
      }
      output[h * kSize + i] = to_bfloat16(scale * sum);
    }
  }
  return 0;
}
