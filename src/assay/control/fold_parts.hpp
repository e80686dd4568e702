#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <assay/base/error.hpp>
#include <assay/control/state.hpp>

/// Parts of the fold (fold.cpp), by what the events are about: each applies one to the state, or says why it does not fit.
namespace assay::control {

// injection_fold.cpp; the evaluation of a result is settled before.
[[nodiscard]] base::Result<void> take(const InjectionMade& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const InjectionGated& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const InjectionSwept& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const NullPromoted& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const InjectionWarned& entry, CampaignState& state);

// agent_fold.cpp
[[nodiscard]] base::Result<void> take(const AgentRunIntended& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const AgentRunEnded& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const BudgetReached& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const ArmChosen& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const RoundPlanned& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const CandidatesSummarised& entry, CampaignState& state);

// memory_fold.cpp
[[nodiscard]] base::Result<void> take(const HypothesisStated& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const HypothesisTested& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const EvidenceRecorded& entry, CampaignState& state);

// spending_fold.cpp
[[nodiscard]] base::Result<void> take(const PersonTimeBooked& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const BudgetRaised& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const EvaluationUnaffordable& entry, CampaignState& state);
/// What an evaluation cost, from the event that ends it. `settled`: what it was, if it has a result.
[[nodiscard]] base::Result<void> book_evaluation(const std::string& evaluation, const std::optional<Amounts>& spent,
                                                 const std::optional<Purpose>& settled, CampaignState& state);

/// Returns an internal error with this reason unless it holds.
[[nodiscard]] inline base::Result<void> fits_journal(bool holds, const char* otherwise) {
  return holds ? base::Result<void>() : base::internal_error("journal.order", otherwise);
}

/// Whether the search may take another step: nothing is under way, and nobody waits for an answer.
[[nodiscard]] inline bool may_search(const CampaignState& state) {
  return state.phase == Phase::searching && !state.pending && !state.awaiting;
}

[[nodiscard]] inline bool is_candidate(int number, const CampaignState& state) {
  return number >= 1 && static_cast<std::size_t>(number) <= state.candidates.size();
}

[[nodiscard]] inline bool is_injection(int number, const CampaignState& state) {
  return number >= 1 && static_cast<std::size_t>(number) <= state.injections.size();
}

/// What a sweep says of a candidate and of an injection alike.
template <class Swept, class Subject>
void take_sweep(const Swept& entry, Subject& subject) {
  subject.sweep_evaluation = entry.evaluation;
  subject.outcome = entry.outcome;
  subject.cause = entry.cause;
  subject.decision = entry.decision;
}

}  // namespace assay::control
