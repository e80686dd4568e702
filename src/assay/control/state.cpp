#include <assay/control/state.hpp>

#include <algorithm>
#include <cstddef>

namespace assay::control {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::baseline:
      return "baseline";
    case Phase::searching:
      return "searching";
    case Phase::awaiting_approval:
      return "awaiting_approval";
    case Phase::confirming:
      return "confirming";
    case Phase::finished:
      return "finished";
    case Phase::failed:
      return "failed";
  }
  return "failed";
}

const CandidateState& CampaignState::candidate(int number) const {
  ASSAY_CHECK(number >= 1 && static_cast<std::size_t>(number) <= candidates.size());
  return candidates[static_cast<std::size_t>(number - 1)];
}

const InjectionState& CampaignState::injection(int number) const {
  ASSAY_CHECK(number >= 1 && static_cast<std::size_t>(number) <= injections.size());
  return injections[static_cast<std::size_t>(number - 1)];
}

int next_attempt(const CampaignState& state, Purpose purpose, int candidate) {
  const auto before = purpose != Purpose::confirmation
                          ? 0
                          : std::count_if(state.confirmations.begin(), state.confirmations.end(),
                                          [&](const ConfirmationState& one) { return one.candidate == candidate; });
  return state.failed_attempts + 1 + static_cast<int>(before);
}

Amounts CampaignState::spent_since_promotion() const {
  Amounts since = ledger.spent();
  for (const PromotionCost& promotion : promotion_costs) {
    for (std::size_t i = 0; i < kResources; ++i) {
      since.values[i] -= promotion.cost.values[i];
    }
  }
  return since;
}

std::vector<std::string> CampaignState::alarms() const {
  std::vector<std::string> found;
  for (const InjectionState& injection : injections) {
    if (!injection.alarm.empty()) {
      found.push_back(injection.alarm);
    }
  }
  return found;
}

}  // namespace assay::control
