#include <assay/control/next_action.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay::control {
namespace {

Evaluate evaluate(const CampaignState& state, const CampaignConfiguration& configuration, Purpose purpose,
                  int candidate) {
  const int attempt = state.failed_attempts + 1;
  return {{purpose, candidate, attempt, evaluation_id(configuration.name, purpose, candidate, attempt)}, false};
}

std::optional<int> first_ungated(const CampaignState& state) {
  const auto found = std::find_if(state.candidates.begin(), state.candidates.end(),
                                  [](const CandidateState& one) { return !one.outcome; });
  return found == state.candidates.end() ? std::nullopt : std::optional(found->number);
}

// The fastest gate winner of the newest round that was not swept, while the round may still sweep. All of a round's
// gates were against one incumbent, so their ratios can be compared.
std::optional<int> next_sweep(const CampaignState& state, const CampaignConfiguration& configuration) {
  const CandidateState* best = nullptr;
  int swept = 0;
  for (const CandidateState& one : state.candidates) {
    if (one.round != state.current_round()) {
      continue;
    }
    if (!one.sweep_evaluation.empty()) {
      ++swept;
    } else if (one.outcome == task::Outcome::better && one.log_ratio_to_baseline &&
               (best == nullptr || *one.log_ratio_to_baseline < *best->log_ratio_to_baseline)) {
      best = &one;
    }
  }
  return best != nullptr && swept < configuration.policy.sweeps_per_round ? std::optional(best->number) : std::nullopt;
}

Action search(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (state.awaiting) {
    return PromoteByPolicy{*state.awaiting};
  }
  if (const auto candidate = first_ungated(state)) {
    return evaluate(state, configuration, Purpose::gate, *candidate);
  }
  if (const auto candidate = next_sweep(state, configuration)) {
    return evaluate(state, configuration, Purpose::sweep, *candidate);
  }
  if (!configuration.supplied.empty() && !state.supplied_proposed) {
    return Propose{0};
  }
  if (!state.exhausted && state.rounds_started < configuration.rounds) {
    return Propose{state.rounds_started + 1};
  }
  if (state.incumbent) {
    return evaluate(state, configuration, Purpose::confirmation, *state.incumbent);
  }
  return Finish{};
}

std::string_view stage_word(Purpose purpose) {
  switch (purpose) {
    case Purpose::baseline:
      return "measure";
    case Purpose::gate:
      return "gate";
    case Purpose::sweep:
      return "sweep";
    case Purpose::confirmation:
      return "confirm";
  }
  return "";
}

}  // namespace

std::string evaluation_id(const std::string& campaign, Purpose purpose, int candidate, int attempt) {
  return fmt::format("{}-{}-{}-{}", campaign, candidate, stage_word(purpose), attempt);
}

Action next_action(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (state.last_sequence == 0) {
    return Start{};
  }
  if (state.pending) {
    return Evaluate{*state.pending, true};
  }
  switch (state.phase) {
    case Phase::baseline:
      return evaluate(state, configuration, Purpose::baseline, 0);
    case Phase::searching:
      return search(state, configuration);
    case Phase::confirming:
      return state.confirmation ? Action(Finish{})
                                : evaluate(state, configuration, Purpose::confirmation, state.incumbent_number());
    case Phase::awaiting_approval:
    case Phase::finished:
    case Phase::failed:
      break;
  }
  return Stop{};
}

}  // namespace assay::control
