#include <assay/stats/failure_bound.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <assay/base/error.hpp>

namespace assay::stats {
namespace {

constexpr double kPriorFailures = 0.1;
constexpr int kSteps = 100;  // Of bisection: to the last bits of a double, and nearly 0 is near enough.

// log of the likelihood under the mixture.
double log_mixture_of(double failures, double successes) {
  return std::lgamma(kPriorFailures + failures) + std::lgamma(1 + successes) -
         std::lgamma(kPriorFailures + failures + 1 + successes) + std::log(kPriorFailures);
}

// log of its ratio to the likelihood at a constant rate; convex in the rate.
double log_ratio_to(double log_mixture, double failures, double successes, double rate) {
  const double at_rate =
      (failures > 0 ? failures * std::log(rate) : 0) + (successes > 0 ? successes * std::log1p(-rate) : 0);
  return log_mixture - at_rate;
}

void check(const Stratum& stratum) {
  ASSAY_CHECK(stratum.trials >= 0);
  ASSAY_CHECK(stratum.failures >= 0 && stratum.failures <= stratum.trials);
  ASSAY_CHECK(std::isfinite(stratum.weight) && stratum.weight >= 0);
}

// max sum w_i (1 - e^-q_i) subject to sum n_i q_i <= budget, q >= 0: q_i = log(w_i / (m n_i)) where that is above 0, and m is
// what spends the budget.
double largest_rate_in_use(std::span<const Stratum> strata, double budget) {
  double most = 0;
  for (const Stratum& stratum : strata) {
    most = stratum.trials > 0 ? std::max(most, stratum.weight / static_cast<double>(stratum.trials)) : most;
  }
  const auto spent = [strata](double log_multiplier) {
    double sum = 0;
    for (const Stratum& stratum : strata) {
      if (stratum.trials > 0 && stratum.weight > 0) {
        const auto n = static_cast<double>(stratum.trials);
        sum += n * std::max(0.0, std::log(stratum.weight / n) - log_multiplier);
      }
    }
    return sum;
  };
  double high = most > 0 ? std::log(most) : 0;
  double low = high - budget - 1;  // The stratum of `most` alone spends budget there, as it has at least one trial.
  for (int step = 0; step < kSteps; ++step) {
    const double middle = low + (high - low) / 2;
    (spent(middle) > budget ? low : high) = middle;
  }
  double rate = 0;
  double weight = 0;
  for (const Stratum& stratum : strata) {
    weight += stratum.weight;
    if (stratum.trials == 0) {
      rate += stratum.weight;  // Nothing is known about it.
    } else if (stratum.weight > 0) {
      const double q = std::max(0.0, std::log(stratum.weight / static_cast<double>(stratum.trials)) - low);
      rate -= stratum.weight * std::expm1(-q);
    }
  }
  ASSAY_CHECK(weight > 0);
  return std::min(1.0, rate / weight);
}

}  // namespace

double anytime_failure_rate_upper_bound(std::int64_t failures, std::int64_t trials, double confidence) {
  ASSAY_CHECK(trials > 0);
  ASSAY_CHECK(failures >= 0 && failures <= trials);
  ASSAY_CHECK(confidence > 0 && confidence < 1);
  if (failures == trials) {
    return 1;
  }
  const auto k = static_cast<double>(failures);
  const auto rest = static_cast<double>(trials - failures);
  const double needed = -std::log1p(-confidence);
  const double log_mixture = log_mixture_of(k, rest);
  double low = k / (k + rest);  // The least ratio; from here to 1 it rises without bound.
  double high = 1;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = low + (high - low) / 2;
    (middle < 1 && log_ratio_to(log_mixture, k, rest, middle) < needed ? low : high) = middle;
  }
  return high;
}

StrataBound bound_strata(std::span<const Stratum> strata, double confidence) {
  ASSAY_CHECK(!strata.empty());
  ASSAY_CHECK(confidence > 0 && confidence < 1);
  StrataBound bound;
  for (const Stratum& stratum : strata) {
    check(stratum);
    bound.trials += stratum.trials;
    bound.failures += stratum.failures;
  }
  const double budget = -std::log1p(-confidence);
  const double each = 1 - (1 - confidence) / static_cast<double>(strata.size());
  bound.of_weakest = 0;
  double weighted = 0;
  double weight = 0;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const Stratum& stratum = strata[i];
    double upper = 1;
    if (stratum.trials > 0) {
      upper = bound.failures == 0 ? -std::expm1(-budget / static_cast<double>(stratum.trials))
                                  : anytime_failure_rate_upper_bound(stratum.failures, stratum.trials, each);
    }
    if (upper > bound.of_weakest) {
      bound.of_weakest = upper;
      bound.weakest = i;
    }
    weighted += stratum.weight * upper;
    weight += stratum.weight;
  }
  ASSAY_CHECK(weight > 0);
  bound.in_use = bound.failures == 0 ? largest_rate_in_use(strata, budget) : weighted / weight;
  return bound;
}

}  // namespace assay::stats
