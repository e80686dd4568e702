// Attention over selected tokens as one would write it first: logits, their maximum, then the weighted sum, in float32.
//
//   l(t) = (q_nope . ckv[t] + q_pe . kpe[t]) * sm_scale over the row's valid indices (-1 is none)
//   output = sum of softmax(l)(t) * ckv[t],  lse = log2 of the sum of e^l; a row without tokens gives 0 and -infinity
#include <assay/candidate.h>

#include <math.h>

#include <algorithm>
#include <cstring>
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

float dot(const uint16_t* a, const uint16_t* b, int64_t count) {
  float sum = 0.0f;
  for (int64_t i = 0; i < count; ++i) {
    sum += from_bfloat16(a[i]) * from_bfloat16(b[i]);
  }
  return sum;
}

}  // namespace

ASSAY_KERNEL(run) {
  const DLTensor* q_tensor = assay_input(call, 0);
  const uint16_t* q_nope = data<const uint16_t>(q_tensor);
  const uint16_t* q_pe = data<const uint16_t>(assay_input(call, 1));
  const uint16_t* ckv = data<const uint16_t>(assay_input(call, 2));
  const uint16_t* kpe = data<const uint16_t>(assay_input(call, 3));
  const int32_t* indices = data<const int32_t>(assay_input(call, 4));
  const float sm_scale = static_cast<float>(assay_scalar(call, 5));
  uint16_t* output = data<uint16_t>(assay_output(call, 0));
  float* lse = data<float>(assay_output(call, 1));
  const int64_t tokens = q_tensor->shape[0];
  const int64_t heads = q_tensor->shape[1];
  const int64_t ckv_dim = q_tensor->shape[2];
  const int64_t kpe_dim = assay_input(call, 1)->shape[2];
  const int64_t topk = assay_input(call, 4)->shape[1];

  std::vector<int64_t> selected;
  std::vector<float> logits;
  std::vector<float> sum(static_cast<size_t>(ckv_dim));
  for (int64_t token = 0; token < tokens; ++token) {
    selected.clear();
    for (int64_t i = 0; i < topk; ++i) {
      if (indices[token * topk + i] >= 0) {
        selected.push_back(indices[token * topk + i]);
      }
    }
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t row = token * heads + head;
      float largest = -INFINITY;
      logits.clear();
      for (const int64_t id : selected) {
        logits.push_back((dot(q_nope + row * ckv_dim, ckv + id * ckv_dim, ckv_dim) +
                          dot(q_pe + row * kpe_dim, kpe + id * kpe_dim, kpe_dim)) *
                         sm_scale);
        largest = std::max(largest, logits.back());
      }
      std::fill(sum.begin(), sum.end(), 0.0f);
      float total = 0.0f;
      for (size_t i = 0; i < selected.size(); ++i) {
        const float weight = expf(logits[i] - largest);
        total += weight;
        const uint16_t* value = ckv + selected[i] * ckv_dim;
        for (int64_t j = 0; j < ckv_dim; ++j) {
          sum[static_cast<size_t>(j)] += weight * from_bfloat16(value[j]);
        }
      }
      for (int64_t j = 0; j < ckv_dim; ++j) {
        output[row * ckv_dim + j] = to_bfloat16(total > 0.0f ? sum[static_cast<size_t>(j)] / total : 0.0f);
      }
      lse[row] = total > 0.0f ? (largest + logf(total)) * 1.44269504088896341f : -INFINITY;
    }
  }
  return 0;
}
