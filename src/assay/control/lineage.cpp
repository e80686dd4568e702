#include <assay/control/lineage.hpp>

#include <fmt/format.h>

#include <assay/control/regime_won.hpp>

namespace assay::control {

base::Result<void> add_lineage(const archive::Archive& archive, const CampaignConfiguration& configuration,
                               const CampaignState& state, const CandidateState& candidate, agent::Trial& trial) {
  trial.round = candidate.round;
  trial.parent = candidate.parent;
  trial.gated_against = candidate.gated_against;
  if (candidate.gate_log_ratio) {
    const LogRatio& ratio = *candidate.gate_log_ratio;
    trial.at_gate = agent::LogInterval{ratio.mean, ratio.lower, ratio.upper};
  }
  if (candidate.log_ratio_to_baseline) {
    trial.to_baseline = agent::LogInterval{*candidate.log_ratio_to_baseline, *candidate.log_ratio_to_baseline_lower,
                                           *candidate.log_ratio_to_baseline_upper};
  }
  // Only the population asks, and the evaluation has to be read for it.
  if (trial.at_gate && configuration.agent && configuration.agent->full_agent) {
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(candidate.gate_evaluation));
    if (!evaluation) {
      return base::environment_error(
          "archive.damaged",
          fmt::format("evaluation {} is not in the archive: run `assay archive verify`", candidate.gate_evaluation));
    }
    trial.regime_won = regime_won(*evaluation, configuration.workloads, state.regimes);
  }
  return {};
}

}  // namespace assay::control
