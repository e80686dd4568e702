#include <assay/stats/failure_posterior.hpp>

#include <cmath>

#include <assay/base/error.hpp>
#include <assay/stats/distributions.hpp>

namespace assay::stats {
namespace {

// The logarithm of a gamma variable: for a small shape the variable itself is often 0 as a double.
double draw_log_gamma(double shape, base::Philox& random) {
  if (shape < 1) {  // X(shape) = X(shape + 1) U^(1 / shape); 1 - U lies in (0, 1].
    const double uniform = 1 - random.next_uniform();
    return draw_log_gamma(shape + 1, random) + std::log(uniform) / shape;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double normal = random.next_normal();
    const double root = 1 + c * normal;
    if (root <= 0) {
      continue;
    }
    const double cube = root * root * root;
    if (std::log(1 - random.next_uniform()) < normal * normal / 2 + d - d * cube + d * std::log(cube)) {
      return std::log(d * cube);
    }
  }
}

}  // namespace

FailureBelief updated(const FailureBelief& belief, const TrialCount& count, double discount) {
  ASSAY_CHECK(count.failures >= 0 && count.failures <= count.trials);
  ASSAY_CHECK(discount >= 0 && discount <= 1);
  return {belief.failures + discount * static_cast<double>(count.failures),
          belief.successes + discount * static_cast<double>(count.trials - count.failures)};
}

double credible_upper_bound(const FailureBelief& belief, double probability) {
  return beta_quantile(probability, belief.failures, belief.successes);
}

double expected_detection(const FailureBelief& belief, std::int64_t trials) {
  ASSAY_CHECK(belief.failures > 0 && belief.successes > 0 && trials >= 0);
  const double a = belief.failures;
  const double b = belief.successes;
  const auto n = static_cast<double>(trials);
  // Paired so that no trial finds exactly nothing: in another order rounding could leave a probability below 0.
  return -std::expm1((std::lgamma(b + n) - std::lgamma(b)) - (std::lgamma(a + b + n) - std::lgamma(a + b)));
}

double draw_rate(const FailureBelief& belief, base::Philox& random) {
  ASSAY_CHECK(belief.failures > 0 && belief.successes > 0);
  const double log_failures = draw_log_gamma(belief.failures, random);
  const double log_successes = draw_log_gamma(belief.successes, random);
  return 1 / (1 + std::exp(log_successes - log_failures));
}

}  // namespace assay::stats
