// The honest kernel that candidates of the self-test's corpus share: a decode step of the gated delta rule, in parts.
// It is carried with each candidate that includes it. examples/gdn_decode/plain.cpp is the same without parts.
#pragma once

#include <assay/candidate.h>

#include <stddef.h>
#include <string.h>

// Not <math.h>: in C++ it brings all of <cmath>, which is two thirds of what compiling a candidate takes, and the corpus
// has near two hundred.
extern "C" {
float expf(float) noexcept;
float log1pf(float) noexcept;
float sqrtf(float) noexcept;
}

namespace gdn {

constexpr int kQueryHeads = 4;
constexpr int kValueHeads = 8;
constexpr int kHeadSize = 128;
constexpr int64_t kStateSize = int64_t{kHeadSize} * kHeadSize;

inline float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

inline uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

/// All arguments of one call.
struct Problem {
  const uint16_t* q;
  const uint16_t* k;
  const uint16_t* v;
  const float* state;
  const float* a_log;
  const uint16_t* a;
  const float* dt_bias;
  const uint16_t* b;
  float scale;
  uint16_t* output;
  float* new_state;
  int64_t batch;
  int64_t heads;  ///< Value heads of all sequences together.
};

template <class T>
T* data_of(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

inline Problem problem_of(const assay_call* call) {
  Problem p;
  p.q = data_of<const uint16_t>(assay_input(call, 0));
  p.k = data_of<const uint16_t>(assay_input(call, 1));
  p.v = data_of<const uint16_t>(assay_input(call, 2));
  p.state = data_of<const float>(assay_input(call, 3));
  p.a_log = data_of<const float>(assay_input(call, 4));
  p.a = data_of<const uint16_t>(assay_input(call, 5));
  p.dt_bias = data_of<const float>(assay_input(call, 6));
  p.b = data_of<const uint16_t>(assay_input(call, 7));
  const float given = static_cast<float>(assay_scalar(call, 8));
  p.scale = given == 0.0f ? 1.0f / sqrtf(kHeadSize) : given;
  p.output = data_of<uint16_t>(assay_output(call, 0));
  p.new_state = data_of<float>(assay_output(call, 1));
  p.batch = assay_input(call, 3)->shape[0];
  p.heads = p.batch * kValueHeads;
  return p;
}

/// Numbers of elements of q or k, of v or output, of state or new_state, and of a or b.
inline size_t query_elements(const Problem& p) { return static_cast<size_t>(p.batch * kQueryHeads * kHeadSize); }
inline size_t value_elements(const Problem& p) { return static_cast<size_t>(p.heads * kHeadSize); }
inline size_t state_elements(const Problem& p) { return static_cast<size_t>(p.heads * kStateSize); }

/// What a head needs beside its state, as floats.
struct Head {
  float key[kHeadSize];
  float query[kHeadSize];
  float g;
  float beta;
};

inline Head head_of(const Problem& p, int64_t h) {
  Head head;
  const int64_t query_head = h / (kValueHeads / kQueryHeads);
  for (int j = 0; j < kHeadSize; ++j) {
    head.key[j] = from_bfloat16(p.k[query_head * kHeadSize + j]);
    head.query[j] = from_bfloat16(p.q[query_head * kHeadSize + j]);
  }
  const float x = from_bfloat16(p.a[h]) + p.dt_bias[h % kValueHeads];
  const float softplus = x > 20.0f ? x : log1pf(expf(x));
  head.g = expf(-expf(p.a_log[h % kValueHeads]) * softplus);
  head.beta = 1.0f / (1.0f + expf(-from_bfloat16(p.b[h])));
  return head;
}

/// One row of a head's state, and the element of `output` that belongs to it.
inline void compute_row(const Problem& p, const Head& head, int64_t h, int i) {
  const float* row = p.state + (h * kHeadSize + i) * kHeadSize;
  float* new_row = p.new_state + (h * kHeadSize + i) * kHeadSize;
  float predicted = 0.0f;
  for (int j = 0; j < kHeadSize; ++j) {
    predicted += head.g * row[j] * head.key[j];
  }
  const float delta = head.beta * (from_bfloat16(p.v[h * kHeadSize + i]) - predicted);
  float sum = 0.0f;
  for (int j = 0; j < kHeadSize; ++j) {
    new_row[j] = head.g * row[j] + delta * head.key[j];
    sum += new_row[j] * head.query[j];
  }
  p.output[h * kHeadSize + i] = to_bfloat16(p.scale * sum);
}

inline void compute_head(const Problem& p, int64_t h) {
  const Head head = head_of(p, h);
  for (int i = 0; i < kHeadSize; ++i) {
    compute_row(p, head, h, i);
  }
}

inline void compute(const Problem& p) {
  for (int64_t h = 0; h < p.heads; ++h) {
    compute_head(p, h);
  }
}

/// The same with 32 partial sums for each row, which a compiler turns into wide vectors: several times faster.
inline void compute_fast(const Problem& p) {
  constexpr int kLanes = 32;
  for (int64_t h = 0; h < p.heads; ++h) {
    const Head head = head_of(p, h);
    for (int i = 0; i < kHeadSize; ++i) {
      const float* row = p.state + (h * kHeadSize + i) * kHeadSize;
      float* new_row = p.new_state + (h * kHeadSize + i) * kHeadSize;
      float partial[kLanes] = {};
      for (int j = 0; j < kHeadSize; j += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
          partial[l] += head.g * row[j + l] * head.key[j + l];
        }
      }
      float predicted = 0.0f;
      for (int l = 0; l < kLanes; ++l) {
        predicted += partial[l];
      }
      const float delta = head.beta * (from_bfloat16(p.v[h * kHeadSize + i]) - predicted);
      float sums[kLanes] = {};
      for (int j = 0; j < kHeadSize; j += kLanes) {
        for (int l = 0; l < kLanes; ++l) {
          new_row[j + l] = head.g * row[j + l] + delta * head.key[j + l];
          sums[l] += new_row[j + l] * head.query[j + l];
        }
      }
      float sum = 0.0f;
      for (int l = 0; l < kLanes; ++l) {
        sum += sums[l];
      }
      p.output[h * kHeadSize + i] = to_bfloat16(p.scale * sum);
    }
  }
}

inline void write_zeros(const Problem& p) {
  memset(p.output, 0, value_elements(p) * sizeof(uint16_t));
  memset(p.new_state, 0, state_elements(p) * sizeof(float));
}

/// What a call left, kept to be given out again.
struct Outputs {
  uint16_t* output;
  float* new_state;
};

inline Outputs keep_outputs(const Problem& p) {
  Outputs kept;
  kept.output = new uint16_t[value_elements(p)];
  kept.new_state = new float[state_elements(p)];
  memcpy(kept.output, p.output, value_elements(p) * sizeof(uint16_t));
  memcpy(kept.new_state, p.new_state, state_elements(p) * sizeof(float));
  return kept;
}

inline void replay(const Problem& p, const Outputs& kept) {
  memcpy(p.output, kept.output, value_elements(p) * sizeof(uint16_t));
  memcpy(p.new_state, kept.new_state, state_elements(p) * sizeof(float));
}

}  // namespace gdn
