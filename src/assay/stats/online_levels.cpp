#include <assay/stats/online_levels.hpp>

#include <cmath>

#include <assay/base/error.hpp>

namespace assay::stats {
namespace {

// One over the sum of 1 / (t log(t + 1)^2): 3.31536 for the first million terms, and at most 1 / log(1'000'000.5) for the
// rest; rounded down.
constexpr double kFirst = 0.2951;

}  // namespace

double online_level(double alpha, int number, int rejected) {
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  ASSAY_CHECK(number >= 1 && rejected >= 0 && rejected < number);
  const double t = number;
  const double logarithm = std::log(t + 1);
  return alpha * (kFirst / (t * logarithm * logarithm)) * (rejected + 1);
}

OnlineLevels::OnlineLevels(double alpha) : alpha_(alpha) { ASSAY_CHECK(alpha > 0 && alpha < 1); }

double OnlineLevels::level() const { return online_level(alpha_, tested_ + 1, rejected_); }

bool OnlineLevels::test(double log_e_value) {
  const bool rejects = log_e_value >= -std::log(level());  // False for a NaN.
  ++tested_;
  rejected_ += rejects ? 1 : 0;
  return rejects;
}

}  // namespace assay::stats
