#pragma once

#include <cmath>
#include <cstdint>

#include <assay/operators/cuda/arithmetic.hpp>

/// How the MoE reference on a GPU chooses a token's experts: the nominal choice of moe_fp8_block_scale/routing.hpp,
/// by plain repeated selection, and whether another choice is legal too.
namespace assay::operators::cuda {

inline constexpr int kMostExperts = 256;
inline constexpr int kMostGroups = 32;
inline constexpr int kMostChosen = 16;
/// moe_fp8_block_scale::kScoreMargin, which this header does not include; a test holds them together.
inline constexpr double kRoutingMargin = 0x1p-18;

/// Sizes of a definition, as kernels are given them.
struct MoeSizes {
  std::int32_t experts = 0;  ///< At most kMostExperts.
  std::int32_t local_experts = 0;
  std::int32_t hidden = 0;
  std::int32_t intermediate = 0;
  std::int32_t groups = 0;  ///< At most kMostGroups.
  std::int32_t kept_groups = 0;
  std::int32_t top_k = 0;  ///< At most kMostChosen.
};

/// What selection goes by, of one token: arrays of one entry an expert.
struct MoeScores {
  const double* sigmoids = nullptr;  ///< s = sigmoid(logit)
  const double* scores = nullptr;    ///< c = s + bias, NaN as -infinity.
  const float* rounded = nullptr;  ///< The same with s, bias and the sum rounded to float32: orders the nominal choice.
};

/// Marks of experts or groups.
struct Marks {
  std::uint32_t words[kMostExperts / 32] = {};
  ASSAY_HOST_DEVICE void set(int i) { words[i / 32] |= 1U << static_cast<unsigned>(i % 32); }
  [[nodiscard]] ASSAY_HOST_DEVICE bool has(int i) const {
    return (words[i / 32] >> static_cast<unsigned>(i % 32) & 1U) != 0;
  }
};

[[nodiscard]] ASSAY_HOST_DEVICE inline double least_if_nan(double value) { return value == value ? value : -HUGE_VAL; }
[[nodiscard]] ASSAY_HOST_DEVICE inline float least_if_nan(float value) { return value == value ? value : -HUGE_VALF; }

/// Sums the two largest of consecutive values.
template <class T>
[[nodiscard]] ASSAY_HOST_DEVICE T two_largest(const T* values, int count) {
  T largest = static_cast<T>(-HUGE_VAL);
  T second = largest;
  for (int i = 0; i < count; ++i) {
    if (values[i] > largest) {
      second = largest;
      largest = values[i];
    } else if (values[i] > second) {
      second = values[i];
    }
  }
  return least_if_nan(largest + second);
}

/// Marks the `take` largest of the `count` scores whose index / `size` is allowed (all, if `allowed` is null), the
/// lowest index of equal ones.
[[nodiscard]] ASSAY_HOST_DEVICE inline Marks take_largest(const float* scores, int count, int take,
                                                          const Marks* allowed, int size) {
  Marks taken;
  for (int round = 0; round < take; ++round) {
    int best = -1;
    for (int i = 0; i < count; ++i) {
      if (taken.has(i) || (allowed != nullptr && !allowed->has(i / size))) {
        continue;
      }
      if (best < 0 || scores[i] > scores[best]) {
        best = i;
      }
    }
    taken.set(best);
  }
  return taken;
}

/// Tells whether the worst taken and the best allowed that is not taken are more than `margin` apart.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool clearly_apart(const double* scores, int count, const Marks& taken,
                                                          const Marks* allowed, int size, double margin) {
  double worst_in = HUGE_VAL;
  double best_out = -HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    if (allowed != nullptr && !allowed->has(i / size)) {
      continue;
    }
    if (taken.has(i)) {
      worst_in = scores[i] < worst_in ? scores[i] : worst_in;
    } else {
      best_out = scores[i] > best_out ? scores[i] : best_out;
    }
  }
  return worst_in - best_out > margin;  // Not if that is NaN.
}

/// Writes the experts of a token, `top_k` ascending, and what their outputs are multiplied by. Returns whether its
/// scores leave another choice open: then a result that differs may be right as well, and the CPU's comparison decides.
[[nodiscard]] ASSAY_HOST_DEVICE inline bool choose_experts(const MoeSizes& sizes, const MoeScores& token, double factor,
                                                           std::int32_t* experts, double* weights) {
  const int size = sizes.experts / sizes.groups;
  double group_scores[kMostGroups];
  float rounded_group_scores[kMostGroups];
  for (int group = 0; group < sizes.groups; ++group) {
    group_scores[group] = two_largest(token.scores + group * size, size);
    rounded_group_scores[group] = two_largest(token.rounded + group * size, size);
  }
  const Marks kept = take_largest(rounded_group_scores, sizes.groups, sizes.kept_groups, nullptr, 1);
  const Marks chosen = take_largest(token.rounded, sizes.experts, sizes.top_k, &kept, size);
  double sum = 1e-20;
  double largest = 1;
  int count = 0;
  for (int e = 0; e < sizes.experts; ++e) {
    const double magnitude = fabs(token.scores[e]);
    largest = magnitude > largest && magnitude < HUGE_VAL ? magnitude : largest;
    if (chosen.has(e)) {
      experts[count++] = e;
      sum += token.sigmoids[e];
    }
  }
  for (int i = 0; i < count; ++i) {
    weights[i] = token.sigmoids[experts[i]] / sum * factor;
  }
  const double unit = kRoutingMargin * largest;
  return !(clearly_apart(group_scores, sizes.groups, kept, nullptr, 1, 2 * unit) &&
           clearly_apart(token.scores, sizes.experts, chosen, &kept, size, unit));
}

}  // namespace assay::operators::cuda
