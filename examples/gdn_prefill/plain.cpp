// The gated delta rule over whole sequences as one would write it first: token after token, in float32.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S = g S + beta (v - g S k) k^T,                output = scale * S q
// Sequence i has the tokens cu_seqlens[i] to cu_seqlens[i + 1]; one without tokens leaves a state of zeros.
#include <assay/candidate.h>

#include <math.h>
#include <string.h>

#include <vector>

namespace {

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

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
  const uint16_t* q = data<const uint16_t>(assay_input(call, 0));
  const uint16_t* k = data<const uint16_t>(assay_input(call, 1));
  const uint16_t* v = data<const uint16_t>(assay_input(call, 2));
  const float* state = data<const float>(assay_input(call, 3));
  const float* a_log = data<const float>(assay_input(call, 4));
  const uint16_t* a = data<const uint16_t>(assay_input(call, 5));
  const float* dt_bias = data<const float>(assay_input(call, 6));
  const uint16_t* b = data<const uint16_t>(assay_input(call, 7));
  const int64_t* cu_seqlens = data<const int64_t>(assay_input(call, 8));
  uint16_t* output = data<uint16_t>(assay_output(call, 0));
  float* new_state = data<float>(assay_output(call, 1));
  const int64_t query_heads = assay_input(call, 0)->shape[1];
  const int64_t heads = assay_input(call, 2)->shape[1];
  const int64_t size = assay_input(call, 2)->shape[2];
  const int64_t sequences = assay_input(call, 3)->shape[0];
  const float given_scale = static_cast<float>(assay_scalar(call, 9));
  const float scale = given_scale == 0.0f ? 1.0f / sqrtf(static_cast<float>(size)) : given_scale;

  std::vector<float> key(static_cast<size_t>(size));
  std::vector<float> query(static_cast<size_t>(size));
  for (int64_t sequence = 0; sequence < sequences; ++sequence) {
    const int64_t first = cu_seqlens[sequence];
    const int64_t last = cu_seqlens[sequence + 1];
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t query_head = head / (heads / query_heads);
      const int64_t elements = size * size;
      float* s = new_state + (sequence * heads + head) * elements;
      if (first == last) {
        memset(s, 0, static_cast<size_t>(elements) * sizeof(float));
        continue;
      }
      memcpy(s, state + (sequence * heads + head) * elements, static_cast<size_t>(elements) * sizeof(float));
      for (int64_t token = first; token < last; ++token) {
        for (int64_t j = 0; j < size; ++j) {
          key[static_cast<size_t>(j)] = from_bfloat16(k[(token * query_heads + query_head) * size + j]);
          query[static_cast<size_t>(j)] = from_bfloat16(q[(token * query_heads + query_head) * size + j]);
        }
        const float x = from_bfloat16(a[token * heads + head]) + dt_bias[head];
        const float softplus = x > 20.0f ? x : log1pf(expf(x));
        const float g = expf(-expf(a_log[head]) * softplus);
        const float beta = 1.0f / (1.0f + expf(-from_bfloat16(b[token * heads + head])));
        for (int64_t i = 0; i < size; ++i) {
          float* row = s + i * size;
          float predicted = 0.0f;
          for (int64_t j = 0; j < size; ++j) {
            row[j] *= g;
            predicted += row[j] * key[static_cast<size_t>(j)];
          }
          const float delta = beta * (from_bfloat16(v[(token * heads + head) * size + i]) - predicted);
          float sum = 0.0f;
          for (int64_t j = 0; j < size; ++j) {
            row[j] += delta * key[static_cast<size_t>(j)];
            sum += row[j] * query[static_cast<size_t>(j)];
          }
          output[(token * heads + head) * size + i] = to_bfloat16(scale * sum);
        }
      }
    }
  }
  return 0;
}
