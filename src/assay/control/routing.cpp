#include <assay/control/routing.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/stats/mean_posterior.hpp>

namespace assay::control {
namespace {

constexpr double kPerDollar = 1e6;

// Before the first run of anybody: a run gains two percent, give or take five. One run's worth of that belief.
constexpr stats::MeanPrior kPriorGain{kExpectedGain, 1, 0.05, 2};

std::vector<double> gains_of(const ArmRecord& arm) {
  std::vector<double> gains;
  std::transform(arm.runs.begin(), arm.runs.end(), std::back_inserter(gains),
                 [](const ArmRun& run) { return run.gain; });
  return gains;
}

// Mean dollars of a run; nothing if a run did not tell, or nothing was paid.
std::optional<double> dollars_of(const ArmRecord& arm) {
  double sum = 0;
  for (const ArmRun& run : arm.runs) {
    if (!run.micro_dollars) {
      return std::nullopt;
    }
    sum += *run.micro_dollars / kPerDollar;
  }
  return sum > 0 ? std::optional(sum / static_cast<double>(arm.runs.size())) : std::nullopt;
}

}  // namespace

double arm_gain(const std::optional<double>& log_ratio) { return std::max(0.0, 0 - log_ratio.value_or(0)); }

ArmDecision decide_arm(const std::vector<ArmRecord>& arms, std::uint64_t seed, int number) {
  ASSAY_CHECK(!arms.empty());
  if (arms.size() == 1) {
    return {0, "there is no other"};
  }
  const auto untried = std::find_if(arms.begin(), arms.end(), [](const ArmRecord& arm) { return arm.runs.empty(); });
  if (untried != arms.end()) {
    return {static_cast<std::size_t>(untried - arms.begin()), "it has not been tried yet"};
  }
  const bool priced =
      std::all_of(arms.begin(), arms.end(), [](const ArmRecord& arm) { return dollars_of(arm).has_value(); });
  base::Philox random(base::mix(seed, base::stream_id("arm")), static_cast<std::uint64_t>(number));
  ArmDecision decision;
  double best = 0;
  std::vector<std::string> drawn;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    // Away from 0 and 1, where a quantile is infinite.
    const double probability = 0.5 + 0.999999 * (random.next_uniform() - 0.5);
    const double gain = stats::believe(kPriorGain, gains_of(arms[i])).quantile(probability);
    const double value = priced && gain > 0 ? gain / *dollars_of(arms[i]) : gain;
    drawn.push_back(fmt::format("{} {:.4f}{} after {} runs", arms[i].name, value, priced ? " a dollar" : " a run",
                                arms[i].runs.size()));
    if (i == 0 || value > best) {
      best = value;
      decision.arm = i;
    }
  }
  decision.why = "drawn gain: " +
                 std::accumulate(std::next(drawn.begin()), drawn.end(), drawn.front(),
                                 [](std::string all, const std::string& one) { return std::move(all) + ", " + one; });
  return decision;
}

}  // namespace assay::control
