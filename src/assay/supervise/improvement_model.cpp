#include <assay/supervise/improvement_model.hpp>

#include <algorithm>
#include <cmath>

#include <assay/base/error.hpp>

namespace assay::supervise {
namespace {

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

// That so many attempts in a row do not improve.
double survival(double a, double b, int attempts) { return std::exp(log_beta(a, b + attempts) - log_beta(a, b)); }

}  // namespace

ImprovementModel::Shapes ImprovementModel::shapes(std::size_t point) {
  const double a = kConcentrations[point / kMeans.size()];
  const double mean = kMeans[point % kMeans.size()];
  return {a, a * (1 - mean) / mean};
}

void ImprovementModel::observe(bool improved) {
  if (!improved) {
    ++since_;
    return;
  }
  // What is exhausted does not improve, so the wait that has ended weighs the points by the other case alone.
  for (std::size_t i = 0; i < kPoints; ++i) {
    const Shapes shape = shapes(i);
    log_weights_[i] += log_beta(shape.a + 1, shape.b + since_) - log_beta(shape.a, shape.b);
  }
  since_ = 0;
}

double ImprovementModel::probability_within(int attempts) const {
  ASSAY_CHECK(attempts >= 0);
  const double heaviest = *std::max_element(log_weights_.begin(), log_weights_.end());
  double improves = 0;
  double all = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const Shapes shape = shapes(i);
    const double weight = std::exp(log_weights_[i] - heaviest);
    const double quiet_so_far = survival(shape.a, shape.b, since_);
    const double quiet_on = survival(shape.a, shape.b, since_ + attempts);
    all += weight * (kExhausted + (1 - kExhausted) * quiet_so_far);
    improves += weight * (1 - kExhausted) * (quiet_so_far - quiet_on);
  }
  return improves / all;
}

}  // namespace assay::supervise
