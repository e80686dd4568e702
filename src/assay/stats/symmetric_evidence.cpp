#include <assay/stats/symmetric_evidence.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/stats/distributions.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::stats {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr std::array<double, 5> kRates = {8, 32, 128, 512, 2048};
using LogCapitals = std::array<double, kRates.size()>;

constexpr double kStake = 0.9;  // Of the capital on each bet; the rest survives any outlier.

double log_factor(double z) { return std::log1p(kStake * std::tanh(z)); }

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Lets every bettor bet that `value` lies below `bound` (side 1) or above it (side -1).
void bet(LogCapitals& capitals, double value, double bound, double side) {
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    capitals[i] += log_factor(kRates[i] * side * (bound - value));
  }
}

double log_mean(const LogCapitals& capitals) {
  const double largest = *std::max_element(capitals.begin(), capitals.end());
  double sum = 0;
  for (const double capital : capitals) {
    sum += std::exp(capital - largest);
  }
  return largest + std::log(sum / static_cast<double>(capitals.size()));
}

double log_evidence(std::span<const double> values, double bound, double side) {
  if (!all_finite(values) || !std::isfinite(bound)) {
    return -kUnbounded;
  }
  LogCapitals capitals{};
  for (const double value : values) {
    bet(capitals, value, bound, side);
  }
  return log_mean(capitals);
}

// The bound nearest to the values, on the given side of them, that the evidence has excluded.
double excluded_end(std::span<const double> values, double log_needed, double side) {
  constexpr double kFar = 8;  // Even the slowest bettor has won all that there is to win here.
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double outside = side > 0 ? *most + kFar : *least - kFar;
  double inside = side > 0 ? *least - kFar : *most + kFar;
  if (log_evidence(values, outside, side) < log_needed) {
    return side * kUnbounded;
  }
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = inside + (outside - inside) / 2;
    (log_evidence(values, middle, side) >= log_needed ? outside : inside) = middle;
  }
  return outside;
}

double hodges_lehmann(std::span<const double> values) {
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) {
      means.push_back(values[i] / 2 + values[j] / 2);
    }
  }
  return median(means);
}

double normal_upper_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

}  // namespace

int least_values_for_evidence(double alpha) {
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  return static_cast<int>(std::ceil(std::log(2 / alpha) / std::log1p(kStake)));
}

double log_evidence_below(std::span<const double> values, double bound) { return log_evidence(values, bound, 1); }

double log_evidence_above(std::span<const double> values, double bound) { return log_evidence(values, bound, -1); }

PairedInterval evidence_interval(std::span<const double> values, double alpha) {
  ASSAY_CHECK(alpha > 0 && alpha < 1);
  if (values.empty()) {
    return {0, -kUnbounded, kUnbounded};
  }
  if (!all_finite(values)) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {kNan, kNan, kNan};
  }
  const double log_needed = std::log(2 / alpha);
  return {hodges_lehmann(values), excluded_end(values, log_needed, -1), excluded_end(values, log_needed, 1)};
}

double chance_of_evidence_below(std::span<const double> values, int most, double bound, double log_needed) {
  ASSAY_CHECK(values.size() >= 2);
  const auto done = static_cast<double>(values.size());
  const double rest = most - done;
  ASSAY_CHECK(rest > 0);
  if (!all_finite(values)) {
    return 1;  // Nothing is known that would justify giving up.
  }
  LogCapitals capitals{};
  for (const double value : values) {
    bet(capitals, value, bound, 1);
  }
  // What all bettors together lack of the best of them now, they lack of the one that will be best.
  const double lag = *std::max_element(capitals.begin(), capitals.end()) - log_mean(capitals);
  const double error = standard_error(values);
  constexpr int kCentres = 9;
  double chance = 0;
  for (int centre = 0; centre < kCentres; ++centre) {
    const double shift = error > 0 ? error * student_t_quantile((centre + 0.5) / kCentres, done - 1) : 0;
    double best = 0;
    for (std::size_t i = 0; i < kRates.size(); ++i) {
      double sum = 0;
      double squares = 0;
      for (const double value : values) {
        const double factor = log_factor(kRates[i] * (bound - value - shift));
        sum += factor;
        squares += factor * factor;
      }
      const double gain = sum / done;
      const double deviation = std::sqrt(std::max(0.0, (squares - sum * gain) / (done - 1)) * rest);
      const double lacking = log_needed + lag - capitals[i] - rest * gain;
      best = std::max(best, deviation > 0 ? normal_upper_tail(lacking / deviation) : (lacking <= 0 ? 1.0 : 0.0));
    }
    chance += best / kCentres;
  }
  return chance;
}

PairedDecision decide_by_evidence(std::span<const double> pair_log_ratios, const PairedRule& rule) {
  const double threshold = std::log1p(-rule.minimum_effect);
  const double log_needed = std::log(2 / rule.alpha);
  const std::size_t available = std::min(pair_log_ratios.size(), static_cast<std::size_t>(rule.maximum_pairs));
  PairedDecision decision;
  decision.pairs_used = static_cast<int>(available);
  const auto minimum = static_cast<std::size_t>(rule.minimum_pairs);
  const int least = least_values_for_evidence(rule.alpha);
  LogCapitals below{};
  LogCapitals above{};
  for (std::size_t pair = 0; pair < available && std::isfinite(pair_log_ratios[pair]); ++pair) {
    bet(below, pair_log_ratios[pair], threshold, 1);
    bet(above, pair_log_ratios[pair], threshold, -1);
    const std::size_t pairs = pair + 1;
    if (pairs < minimum) {
      continue;
    }
    if (log_mean(below) >= log_needed) {
      decision.conclusion = PairedConclusion::better;
    } else if (log_mean(above) >= log_needed) {
      decision.conclusion = PairedConclusion::not_better;
    } else if (static_cast<int>(pairs) > least) {
      decision.futile = rule.futility > 0 && static_cast<int>(pairs) < rule.maximum_pairs &&
                        chance_of_evidence_below(pair_log_ratios.first(pairs), rule.maximum_pairs, threshold,
                                                 log_needed) < rule.futility;
    }
    if (decision.conclusion != PairedConclusion::undecided || decision.futile) {
      decision.pairs_used = static_cast<int>(pairs);
      break;
    }
  }
  decision.interval =
      evidence_interval(pair_log_ratios.first(static_cast<std::size_t>(decision.pairs_used)), rule.alpha);
  return decision;
}

}  // namespace assay::stats
