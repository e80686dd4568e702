#include <assay/control/next_action.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <assay/control/evaluation_costs.hpp>
#include <assay/control/injections.hpp>
#include <assay/control/race.hpp>
#include <assay/control/supervision.hpp>

namespace assay::control {
namespace {

// Or says that the budget does not hold it.
Action evaluate(const CampaignState& state, const CampaignConfiguration& configuration, Purpose purpose,
                int candidate) {
  const int attempt = next_attempt(state, purpose, candidate);
  const std::string id = evaluation_id(configuration.name, purpose, candidate, attempt);
  Affordability affordable = affordability(state, configuration, purpose);
  if (!affordable.refusal.empty()) {
    const bool of_search = purpose != Purpose::baseline && purpose != Purpose::confirmation;
    return Note{EvaluationUnaffordable{id, of_search, std::move(affordable.refusal)}};
  }
  return Evaluate{{purpose, candidate, attempt, id}, false, affordable.most};
}

// Whether three roles proposed what nobody has summarised yet.
bool is_unsummarised(const CampaignState& state, const CampaignConfiguration& configuration) {
  const bool wanted =
      configuration.agent && configuration.agent->full_agent && configuration.agent->full_agent->summarise_last;
  const int up_to = state.summaries.empty() ? 0 : state.summaries.back().up_to;
  return wanted && !state.candidates.empty() && state.candidates.back().round > 0 &&
         state.candidates.back().number > up_to;
}

// The search is over: what it found is confirmed.
Action end_search(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (is_unsummarised(state, configuration)) {
    return Conclude{};
  }
  if (state.incumbent) {
    return evaluate(state, configuration, Purpose::confirmation, *state.incumbent);
  }
  return Finish{};
}

std::optional<int> first_ungated(const CampaignState& state) {
  const auto found = std::find_if(state.candidates.begin(), state.candidates.end(),
                                  [](const CandidateState& one) { return !one.outcome; });
  return found == state.candidates.end() ? std::nullopt : std::optional(found->number);
}

// What the newest injection still lacks. The incumbent must be the one of its making, so nothing comes between.
std::optional<Action> next_of_injection(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (state.injections.empty()) {
    return std::nullopt;
  }
  const InjectionState& injection = state.injections.back();
  if (!injection.outcome) {
    return evaluate(state, configuration,
                    injection.made.kind == InjectionKind::null ? Purpose::null_gate : Purpose::slower_gate,
                    injection.made.number);
  }
  if (to_be_swept(injection)) {
    return evaluate(state, configuration, Purpose::null_sweep, injection.made.number);
  }
  if (auto alarm = due_alarm(injection, configuration.policy)) {
    return Note{std::move(*alarm)};
  }
  if (auto warning = due_warning(injection)) {
    return Note{std::move(*warning)};
  }
  return std::nullopt;
}

std::optional<Action> next_of_race(const CampaignState& state, const CampaignConfiguration& configuration) {
  const auto step = race_step(state, configuration.policy);
  if (!step) {
    return std::nullopt;
  }
  if (const auto* sweep = std::get_if<SweepNext>(&*step)) {
    SweepPermission permission = sweep_permission(sweep->candidate, state, configuration);
    if (permission.question) {
      return Note{std::move(*permission.question)};
    }
    if (!permission.granted) {
      return Stop{};  // Until a person answers, or the campaign is continued without an answer.
    }
    return evaluate(state, configuration, Purpose::sweep, sweep->candidate);
  }
  return Note{std::get<CandidateOutrun>(*step)};
}

Action search(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (state.awaiting) {
    return PromoteByPolicy{*state.awaiting};
  }
  if (state.search_ended_by_budget) {
    return end_search(state, configuration);
  }
  if (auto action = next_of_injection(state, configuration)) {
    return std::move(*action);
  }
  if (const auto candidate = first_ungated(state)) {
    return evaluate(state, configuration, Purpose::gate, *candidate);
  }
  if (auto action = next_of_race(state, configuration)) {
    return std::move(*action);
  }
  if (auto made = due_injection(state, configuration)) {
    return Inject{std::move(*made)};
  }
  if (auto due = due_supervision(state, configuration)) {
    return Note{std::move(*due)};
  }
  if (!configuration.supplied.empty() && !state.supplied_proposed) {
    return Propose{0};
  }
  if (!state.exhausted && !state.supervision.stopped && state.rounds_started < configuration.rounds) {
    return Propose{state.rounds_started + 1};
  }
  return end_search(state, configuration);
}

// A demotion leads back to the search, and from there to the incumbent before; nobody has to be better than the baseline.
Action confirm(const CampaignState& state, const CampaignConfiguration& configuration) {
  if (!state.incumbent) {
    return Finish{};
  }
  if (!state.confirmation) {
    return evaluate(state, configuration, Purpose::confirmation, *state.incumbent);
  }
  return state.confirmations.back().holds() ? Action(Finish{}) : Action(Demote{*state.incumbent});
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
    case Purpose::null_gate:
      return "nullgate";
    case Purpose::null_sweep:
      return "nullsweep";
    case Purpose::slower_gate:
      return "slowergate";
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
    const auto reserved = state.ledger.open().find(state.pending->evaluation);
    return Evaluate{*state.pending, true,
                    reserved == state.ledger.open().end() ? std::nullopt : std::optional(reserved->second)};
  }
  if (state.stopped_by_budget) {
    return Stop{};
  }
  switch (state.phase) {
    case Phase::baseline:
      return evaluate(state, configuration, Purpose::baseline, 0);
    case Phase::searching:
      return search(state, configuration);
    case Phase::confirming:
      return confirm(state, configuration);
    case Phase::awaiting_approval:
    case Phase::finished:
    case Phase::failed:
      break;
  }
  return Stop{};
}

}  // namespace assay::control
