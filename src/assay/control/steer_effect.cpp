#include <assay/control/steer_effect.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include <assay/stats/distributions.hpp>

namespace assay::control {
namespace {

constexpr double kUpperTail = 0.975;

struct Gains {
  std::vector<double> values;

  [[nodiscard]] double mean() const {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  // Of the mean.
  [[nodiscard]] double variance() const {
    const double center = mean();
    double sum = 0;
    for (const double value : values) {
      sum += (value - center) * (value - center);
    }
    const auto count = static_cast<double>(values.size());
    return sum / (count - 1) / count;
  }
};

void compare(const Gains& before, const Gains& after, SteerEffect& effect) {
  const double a = before.variance();
  const double b = after.variance();
  if (!(a + b > 0)) {
    effect.verdict = "undecided: gains that do not vary have no interval";
    return;
  }
  const auto degrees_of = [](const Gains& gains) { return static_cast<double>(gains.values.size()) - 1; };
  const double degrees = (a + b) * (a + b) / (a * a / degrees_of(before) + b * b / degrees_of(after));
  const double half = stats::student_t_quantile(kUpperTail, degrees) * std::sqrt(a + b);
  const double difference = after.mean() - before.mean();
  effect.difference_lower = difference - half;
  effect.difference_upper = difference + half;
  if (*effect.difference_lower > 0) {
    effect.verdict = "more gain per promotion after it";
  } else if (*effect.difference_upper < 0) {
    effect.verdict = "less gain per promotion after it";
  } else {
    effect.verdict = "undecided: the interval of the difference holds 0";
  }
}

}  // namespace

SteerEffect steer_effect(const CampaignState& state, const SteerState& steer) {
  Gains before;
  Gains after;
  for (std::size_t i = 0; i < state.reign.size(); ++i) {
    if (const auto& decision = state.candidate(state.reign[i]).decision) {
      (i < steer.promotions ? before : after).values.push_back(std::log(decision->speedup));
    }
  }
  SteerEffect effect;
  effect.promotions_before = before.values.size();
  effect.promotions_after = after.values.size();
  effect.candidates_after = static_cast<int>(state.candidates.size()) - steer.candidates;
  if (!before.values.empty()) {
    effect.gain_before = before.mean();
  }
  if (!after.values.empty()) {
    effect.gain_after = after.mean();
  }
  if (before.values.size() < 2 || after.values.size() < 2) {
    effect.verdict =
        fmt::format("undecided: {} and {} promotions before and after it, and an interval takes two of each",
                    before.values.size(), after.values.size());
    return effect;
  }
  compare(before, after, effect);
  return effect;
}

}  // namespace assay::control
