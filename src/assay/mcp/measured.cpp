#include <assay/mcp/measured.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/mcp/told.hpp>

namespace assay::mcp {

base::Json regimes_of(const task::Evaluation& evaluation, const control::CampaignConfiguration& configuration,
                      const control::CampaignState& state) {
  base::Json regimes = base::Json::array();
  for (const promote::Regime& regime : state.regimes) {
    double sum = 0;
    int timed = 0;
    for (const task::WorkloadTiming& timing : evaluation.timings) {
      const bool member = std::any_of(regime.members.begin(), regime.members.end(), [&](std::size_t index) {
        return configuration.workloads[index].uuid == timing.uuid;
      });
      if (member && timing.log_ratio && std::isfinite(*timing.log_ratio)) {
        sum += *timing.log_ratio;
        ++timed;
      }
    }
    if (timed > 0) {
      regimes.push_back({{"name", regime.name}, {"workloads_timed", timed}, {"speedup", std::exp(-sum / timed)}});
    }
  }
  return regimes;
}

std::optional<control::LogRatio> interval_of(const control::CandidateState* candidate) {
  if (candidate == nullptr) {
    return control::LogRatio{0, 0, 0};
  }
  if (!candidate->log_ratio_to_baseline || !candidate->log_ratio_to_baseline_lower ||
      !candidate->log_ratio_to_baseline_upper) {
    return std::nullopt;
  }
  return control::LogRatio{*candidate->log_ratio_to_baseline, *candidate->log_ratio_to_baseline_lower,
                           *candidate->log_ratio_to_baseline_upper};
}

base::Json relation_of(const std::optional<control::LogRatio>& first, const std::optional<control::LogRatio>& second) {
  if (!first || !second) {
    return {{"relation", "not_measured"},
            {"second_over_first", nullptr},
            {"note", "one of them was not timed: nothing can be said"}};
  }
  const double mean = second->mean - first->mean;
  const double lower = second->lower - first->upper;
  const double upper = second->upper - first->lower;
  const std::string_view relation = upper < 0 ? "second_faster" : lower > 0 ? "second_slower" : "cannot_be_told";
  return {{"relation", relation},
          {"second_over_first", encode_effect(std::exp(-mean), std::exp(-upper), std::exp(-lower))},
          {"note", "put together from the gates of different sessions, on representatives: it decides nothing"}};
}

}  // namespace assay::mcp
