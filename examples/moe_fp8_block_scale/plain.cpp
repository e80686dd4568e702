// The fused mixture of experts as one would write it first: routing, then for each token its experts one after the
// other, in float32.
//
//   s = sigmoid(logit); the 4 groups of experts with the largest sums of their two best s + bias; of those the 8 experts
//   with the largest s + bias; their weights are s / (sum of s + 1e-20) * routed_scaling_factor
//   G = W1 x, C = silu(second half of G) * first half, output += weight * W2 C     (x, W1, W2 times the scales of blocks)
#include <assay/candidate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace {

constexpr int64_t kBlock = 128;  // Elements, and rows of weights, that share a scale.

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

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

// The 256 values of float8_e4m3fn.
struct Float8 {
  float value[256];
  Float8() {
    for (int bits = 0; bits < 256; ++bits) {
      const int exponent = (bits >> 3) & 15;
      const int fraction = bits & 7;
      const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                                            : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
      value[bits] = (bits & 0x7f) == 0x7f ? NAN : (bits & 0x80) != 0 ? -magnitude : magnitude;
    }
  }
};
const Float8 float8;

// How many groups of experts there are, how many are kept, and experts a token: no axes of the definition.
struct Routing {
  int64_t groups;
  int64_t kept;
  int64_t top;
};

struct Choice {
  int64_t expert;
  float weight;
};

std::vector<Choice> route(const float* logits, const uint16_t* bias, int64_t experts, const Routing& routing,
                          float factor) {
  std::vector<float> score(static_cast<size_t>(experts));
  std::vector<float> biased(static_cast<size_t>(experts));
  for (int64_t e = 0; e < experts; ++e) {
    const auto at = static_cast<size_t>(e);
    score[at] = 1.0f / (1.0f + std::exp(-logits[e]));
    biased[at] = score[at] + from_bfloat16(bias[e]);
  }
  const int64_t size = experts / routing.groups;
  std::vector<std::pair<float, int64_t>> groups;
  for (int64_t group = 0; group < routing.groups; ++group) {
    std::vector<float> of_group(biased.begin() + group * size, biased.begin() + (group + 1) * size);
    std::partial_sort(of_group.begin(), of_group.begin() + 2, of_group.end(), std::greater<float>());
    groups.emplace_back(-(of_group[0] + of_group[1]), group);
  }
  std::sort(groups.begin(), groups.end());  // The lower of two equal groups, or experts, comes first.
  std::vector<std::pair<float, int64_t>> candidates;
  for (int64_t kept = 0; kept < routing.kept; ++kept) {
    for (int64_t i = 0; i < size; ++i) {
      const int64_t e = groups[static_cast<size_t>(kept)].second * size + i;
      candidates.emplace_back(-biased[static_cast<size_t>(e)], e);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<Choice> choices;
  float sum = 0.0f;
  for (int64_t i = 0; i < routing.top; ++i) {
    const int64_t e = candidates[static_cast<size_t>(i)].second;
    sum += score[static_cast<size_t>(e)];
    choices.push_back({e, score[static_cast<size_t>(e)]});
  }
  for (Choice& choice : choices) {
    choice.weight = choice.weight / (sum + 1e-20f) * factor;
  }
  return choices;
}

// One row of weights times a vector: the scales are those of the row's blocks.
float product(const uint8_t* row, const float* scales, const float* x, int64_t count) {
  float sum = 0.0f;
  for (int64_t block = 0; block < count / kBlock; ++block) {
    float part = 0.0f;
    for (int64_t i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      part += float8.value[row[i]] * x[i];
    }
    sum += part * scales[block];
  }
  return sum;
}

}  // namespace

ASSAY_KERNEL(run) {
  const float* logits = data<const float>(assay_input(call, 0));
  const uint16_t* bias = data<const uint16_t>(assay_input(call, 1));
  const uint8_t* hidden_states = data<const uint8_t>(assay_input(call, 2));
  const float* hidden_scale = data<const float>(assay_input(call, 3));
  const uint8_t* gemm1 = data<const uint8_t>(assay_input(call, 4));
  const float* gemm1_scale = data<const float>(assay_input(call, 5));
  const uint8_t* gemm2 = data<const uint8_t>(assay_input(call, 6));
  const float* gemm2_scale = data<const float>(assay_input(call, 7));
  const auto offset = static_cast<int64_t>(assay_scalar(call, 8));
  const auto factor = static_cast<float>(assay_scalar(call, 9));
  uint16_t* output = data<uint16_t>(assay_output(call, 0));
  const int64_t tokens = assay_input(call, 0)->shape[0];
  const int64_t experts = assay_input(call, 0)->shape[1];
  const int64_t hidden = assay_input(call, 2)->shape[1];
  const int64_t local = assay_input(call, 4)->shape[0];
  const int64_t rows = assay_input(call, 4)->shape[1];
  const int64_t intermediate = rows / 2;
  const Routing routing = experts == 256 ? Routing{8, 4, 8} : Routing{4, 2, 4};  // The contest's; its small sibling's.

  std::vector<float> x(static_cast<size_t>(hidden));
  std::vector<float> g(static_cast<size_t>(rows));
  std::vector<float> sum(static_cast<size_t>(hidden));
  for (int64_t token = 0; token < tokens; ++token) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int64_t i = 0; i < hidden; ++i) {
      x[static_cast<size_t>(i)] =
          float8.value[hidden_states[token * hidden + i]] * hidden_scale[i / kBlock * tokens + token];
    }
    for (const Choice& choice : route(logits + token * experts, bias, experts, routing, factor)) {
      const int64_t e = choice.expert - offset;
      if (e < 0 || e >= local) {
        continue;
      }
      const uint8_t* w1 = gemm1 + e * rows * hidden;
      const uint8_t* w2 = gemm2 + e * hidden * intermediate;
      const float* s1 = gemm1_scale + e * (rows / kBlock) * (hidden / kBlock);
      const float* s2 = gemm2_scale + e * (hidden / kBlock) * (intermediate / kBlock);
      for (int64_t row = 0; row < rows; ++row) {
        g[static_cast<size_t>(row)] =
            product(w1 + row * hidden, s1 + row / kBlock * (hidden / kBlock), x.data(), hidden);
      }
      for (int64_t i = 0; i < intermediate; ++i) {
        const float gate = g[static_cast<size_t>(intermediate + i)];
        g[static_cast<size_t>(i)] *= gate / (1.0f + std::exp(-gate));
      }
      for (int64_t row = 0; row < hidden; ++row) {
        sum[static_cast<size_t>(row)] +=
            choice.weight *
            product(w2 + row * intermediate, s2 + row / kBlock * (intermediate / kBlock), g.data(), intermediate);
      }
    }
    for (int64_t i = 0; i < hidden; ++i) {
      output[token * hidden + i] = to_bfloat16(sum[static_cast<size_t>(i)]);
    }
  }
  return 0;
}
