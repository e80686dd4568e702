#include <assay/stats/paired_decision.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <assay/base/error.hpp>
#include <assay/stats/distributions.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::stats {
namespace {

void check_rule(const PairedRule& rule) {
  ASSAY_CHECK(rule.minimum_pairs >= 2);
  ASSAY_CHECK(rule.maximum_pairs >= rule.minimum_pairs);
  ASSAY_CHECK(rule.alpha > 0 && rule.alpha < 1);
  ASSAY_CHECK(rule.minimum_effect >= 0 && rule.minimum_effect < 1);
  ASSAY_CHECK(rule.futility >= 0 && rule.futility < 1);
  ASSAY_CHECK(rule.waiting_level >= 0 && rule.waiting_level < 0.5);
}

// A NaN in a bound compares false both ways, so that a broken measurement stays undecided.
PairedConclusion conclude(const PairedInterval& interval, double threshold) {
  if (interval.upper < threshold) {
    return PairedConclusion::better;
  }
  if (interval.lower > threshold) {
    return PairedConclusion::not_better;
  }
  return PairedConclusion::undecided;
}

}  // namespace

int look_count(const PairedRule& rule) {
  check_rule(rule);
  return rule.maximum_pairs - rule.minimum_pairs + 1;
}

double alpha_per_look(const PairedRule& rule) { return rule.alpha / look_count(rule); }

PairedInterval t_interval(std::span<const double> values, double alpha) {
  ASSAY_CHECK(values.size() >= 2);
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {kNan, kNan, kNan};
  }
  const double center = mean(values);
  const double error = standard_error(values);
  const double reach =
      error > 0 ? error * student_t_quantile(1 - alpha / 2, static_cast<double>(values.size() - 1)) : 0;
  return {center, center - reach, center + reach};
}

double chance_of_better(std::span<const double> values, int maximum_pairs, double threshold, double alpha) {
  ASSAY_CHECK(values.size() >= 2);
  const auto done = static_cast<double>(values.size());
  const double all = maximum_pairs;
  const double rest = all - done;
  ASSAY_CHECK(rest > 0);
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
    return 1;  // Nothing is known that would justify giving up.
  }
  const double center = mean(values);
  const double deviation = standard_error(values) * std::sqrt(done);
  const double reach = deviation / std::sqrt(all) * student_t_quantile(1 - alpha / 2, all - 1);
  const double needed = (all * (threshold - reach) - done * center) / rest;  // Of the mean of the pairs to come.
  if (deviation == 0) {
    return center < needed ? 1 : 0;
  }
  return student_t_upper_tail((center - needed) / (deviation * std::sqrt(1 / done + 1 / rest)), done - 1);
}

PairedDecision decide_paired(std::span<const double> pair_log_ratios, const PairedRule& rule) {
  const double alpha = alpha_per_look(rule);  // Checks the rule.
  if (rule.test == PairedTest::evidence) {
    return decide_by_evidence(pair_log_ratios, rule);
  }
  const double threshold = std::log1p(-rule.minimum_effect);
  const std::size_t available = std::min(pair_log_ratios.size(), static_cast<std::size_t>(rule.maximum_pairs));
  PairedDecision decision;
  decision.pairs_used = static_cast<int>(available);
  const auto minimum = static_cast<std::size_t>(rule.minimum_pairs);
  if (available < minimum) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double center = available == 0 ? 0 : mean(pair_log_ratios.first(available));
    decision.interval = {center, -kInfinity, kInfinity};
    return decision;
  }
  for (std::size_t pairs = minimum; pairs <= available; ++pairs) {
    decision.interval = t_interval(pair_log_ratios.first(pairs), alpha);
    decision.conclusion = conclude(decision.interval, threshold);
    if (decision.conclusion != PairedConclusion::undecided) {
      decision.pairs_used = static_cast<int>(pairs);
      break;
    }
    if (rule.futility > 0 && static_cast<int>(pairs) < rule.maximum_pairs &&
        chance_of_better(pair_log_ratios.first(pairs), rule.maximum_pairs, threshold, alpha) < rule.futility) {
      decision.futile = true;
      decision.pairs_used = static_cast<int>(pairs);
      break;
    }
  }
  return decision;
}

}  // namespace assay::stats
