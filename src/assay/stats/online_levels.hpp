#pragma once

#include <vector>

namespace assay::stats {

/// Spends one error over a campaign whose number of candidates nobody knows: e-LOND (Xu and Ramdas, "Online multiple testing
/// with e-values", 2024). The t-th hypothesis is rejected if its e-value is at least 1 / (alpha g_t (R + 1)), where R is the
/// number rejected before it and the g_t add up to at most 1. The expected share of false rejections among all of them (the
/// false discovery rate) is then at most `alpha` at every t, whatever the dependence between the tests, as long as each true
/// hypothesis' e-value has an expectation of at most 1 given all that was seen before its test began. An e-process that was
/// stopped at any time gives such a value.
///
/// g_t = c / (t (log(t + 1))^2): its sum to infinity is 1, and it falls nearly as slowly as it can.
class OnlineLevels {
 public:
  /// Starts at the first hypothesis. `alpha` lies in (0, 1).
  explicit OnlineLevels(double alpha);

  /// Returns the level for the hypothesis that is tested now: reject it if its e-value is at least 1 / level().
  [[nodiscard]] double level() const;
  /// Takes the natural logarithm of its e-value, says whether it is rejected, and goes on to the next.
  bool test(double log_e_value);

  [[nodiscard]] int tested() const { return tested_; }
  [[nodiscard]] int rejected() const { return rejected_; }

 private:
  double alpha_;
  int tested_ = 0;
  int rejected_ = 0;
};

/// Returns the level of the `number`-th hypothesis (from 1) after `rejected` rejections before it.
[[nodiscard]] double online_level(double alpha, int number, int rejected);

}  // namespace assay::stats
