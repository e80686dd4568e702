#include <assay/stats/binomial_bound.hpp>

#include <cmath>

#include <assay/base/error.hpp>
#include <assay/stats/distributions.hpp>

namespace assay::stats {
namespace {

bool is_inner(double probability) { return probability > 0 && probability < 1; }

}  // namespace

double failure_rate_upper_bound(std::int64_t failures, std::int64_t trials, double confidence) {
  ASSAY_CHECK(trials > 0);
  ASSAY_CHECK(failures >= 0 && failures <= trials);
  ASSAY_CHECK(is_inner(confidence));
  if (failures == trials) {
    return 1;
  }
  if (failures == 0) {
    return -std::expm1(std::log1p(-confidence) / static_cast<double>(trials));
  }
  return beta_quantile(confidence, static_cast<double>(failures) + 1, static_cast<double>(trials - failures));
}

RateInterval failure_rate_interval(std::int64_t failures, std::int64_t trials, double confidence) {
  ASSAY_CHECK(is_inner(confidence));
  const double one_sided = 1 - (1 - confidence) / 2;
  // The lower bound for failures is the upper bound for successes, seen from the other end.
  return {1 - failure_rate_upper_bound(trials - failures, trials, one_sided),
          failure_rate_upper_bound(failures, trials, one_sided)};
}

std::int64_t trials_for_bound(double rate, double confidence) {
  ASSAY_CHECK(is_inner(rate) && is_inner(confidence));
  const double exact = std::log1p(-confidence) / std::log1p(-rate);
  ASSAY_CHECK(exact < 9e15);
  return static_cast<std::int64_t>(std::ceil(exact));
}

}  // namespace assay::stats
