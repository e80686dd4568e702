#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include <assay/control/fold_parts.hpp>
#include <assay/control/injections.hpp>
#include <assay/control/proposals.hpp>
#include <assay/control/requests.hpp>
#include <assay/control/state.hpp>
#include <assay/control/void_confirmation.hpp>

namespace assay::control {
namespace {

// Applies one kind of event each. A `require` that does not hold makes the event one that does not fit.
class Folding {
 public:
  Folding(const CampaignConfiguration& configuration, CampaignState& state)
      : configuration_(configuration), state_(state) {}

  base::Result<void> operator()(const CampaignStarted& /*entry*/) {
    state_.ledger = Ledger(budget_of(configuration_));
    return require(state_.last_sequence == 0, "a journal has one beginning");
  }

  base::Result<void> operator()(const EvaluationIntended& entry) {
    ASSAY_TRY(require(!state_.pending, "another evaluation is under way"));
    ASSAY_TRY(
        require(entry.attempt == next_attempt(state_, entry.purpose, entry.candidate), "the attempt is out of order"));
    ASSAY_TRY(require(is_due(entry), "the evaluation is not due"));
    ASSAY_TRY(require(entry.incumbent == compared_with(state_, entry.purpose), "the incumbent is another one"));
    state_.pending = {entry.purpose, entry.candidate, entry.attempt, entry.evaluation};
    if (entry.most) {
      ASSAY_TRY(require(state_.ledger.reserve(entry.evaluation, *entry.most).has_value(),
                        "the budget does not hold the evaluation"));
    }
    if (entry.purpose == Purpose::confirmation) {
      state_.phase = Phase::confirming;
    }
    return {};
  }

  base::Result<void> operator()(const EvaluationFailed& entry) {
    ASSAY_TRY(require(state_.pending && state_.pending->evaluation == entry.evaluation, "nobody intended it"));
    state_.pending.reset();
    ++state_.failed_attempts;
    state_.void_sessions += is_void_session(entry.code) ? 1 : 0;
    state_.last_failure = entry.message;
    return {};
  }

  base::Result<void> operator()(const BaselineMeasured& entry) {
    ASSAY_TRY(settle(Purpose::baseline, 0, entry.evaluation));
    const std::size_t workloads = configuration_.workloads.size();
    ASSAY_TRY(require(entry.baseline_ns.size() == workloads, "there must be one latency a workload"));
    for (const double ns : entry.baseline_ns) {
      ASSAY_TRY(require(ns > 0, "a latency is not above 0"));
    }
    for (const promote::Regime& regime : entry.regimes) {
      ASSAY_TRY(require(regime.representative < workloads, "a representative is no workload"));
    }
    state_.baseline_ns = entry.baseline_ns;
    state_.regimes = entry.regimes;
    state_.baseline_evaluation = entry.evaluation;
    state_.phase = Phase::searching;
    return {};
  }

  base::Result<void> operator()(const BaselineFailed& entry) {
    ASSAY_TRY(settle(Purpose::baseline, 0, entry.evaluation));
    state_.baseline_evaluation = entry.evaluation;
    state_.failure = fmt::format("the baseline is {}: {}", task::to_string(entry.outcome), entry.cause);
    state_.phase = Phase::failed;
    return {};
  }

  base::Result<void> operator()(const CandidatesProposed& entry) {
    ASSAY_TRY(require(searching(), "no round can begin now"));
    const bool supplied = entry.round == 0 && !state_.supplied_proposed && state_.rounds_started == 0;
    ASSAY_TRY(require(supplied || (entry.round > 0 && entry.round == state_.rounds_started + 1),
                      "the round is out of order"));
    for (const ProposedCandidate& proposed : entry.candidates) {
      ASSAY_TRY(add(proposed, entry.round));
    }
    state_.runs_of_earlier_rounds = state_.runs.size();
    if (entry.round == 0) {
      state_.supplied_proposed = true;
    } else {
      state_.rounds_started = entry.round;
      state_.exhausted = entry.candidates.empty();
    }
    return {};
  }

  base::Result<void> operator()(const CandidateGated& entry) {
    ASSAY_TRY(settle(Purpose::gate, entry.candidate, entry.evaluation));
    CandidateState& candidate = at(entry.candidate);
    candidate.gate_evaluation = entry.evaluation;
    candidate.outcome = entry.outcome;
    candidate.cause = entry.cause;
    candidate.gate_log_ratio = entry.log_ratio;
    candidate.gated_against = state_.incumbent_number();
    if (entry.duplicate) {
      ASSAY_TRY(require(entry.duplicate->of < entry.candidate, "a duplicate repeats nothing earlier"));
      candidate.duplicate_of = entry.duplicate->of;
    }
    if (entry.log_ratio) {
      chain(*entry.log_ratio, candidate);
    }
    return {};
  }

  base::Result<void> operator()(const CandidateSwept& entry) {
    ASSAY_TRY(settle(Purpose::sweep, entry.candidate, entry.evaluation));
    CandidateState& candidate = at(entry.candidate);
    take_sweep(entry, candidate);
    candidate.outrun.reset();  // Not for good: it came back.
    candidate.in_race_again = false;
    if (entry.decision.verdict == promote::Decision::Verdict::promote) {
      state_.awaiting = entry.candidate;
      if (configuration_.policy.approval == promote::Approval::person) {
        state_.phase = Phase::awaiting_approval;
      }
    }
    return {};
  }

  base::Result<void> operator()(const CandidatePromoted& entry) {
    ASSAY_TRY(answer(entry.candidate, entry.by, entry.why));
    at(entry.candidate).promoted = true;
    state_.incumbent = entry.candidate;
    state_.reign.push_back(entry.candidate);
    state_.promotion_costs.push_back({entry.candidate, state_.spent_since_promotion()});
    return {};
  }

  base::Result<void> operator()(const CandidateRefused& entry) { return answer(entry.candidate, entry.by, entry.why); }

  base::Result<void> operator()(const CampaignConfirmed& entry) {
    ASSAY_TRY(settle(Purpose::confirmation, entry.candidate, entry.evaluation));
    state_.confirmation_evaluation = entry.evaluation;
    state_.confirmation = entry.decision;
    state_.confirmations.push_back({entry.candidate, entry.evaluation, entry.outcome, entry.cause, entry.decision});
    return {};
  }

  base::Result<void> operator()(const CandidateOutrun& entry) {
    ASSAY_TRY(require(searching() && known(entry.candidate) && may_be_swept(at(entry.candidate)), "it is in no race"));
    ASSAY_TRY(require(
        known(entry.by) && !at(entry.by).sweep_evaluation.empty() && at(entry.by).round == at(entry.candidate).round,
        "who outran it was not swept in the same round"));
    at(entry.candidate).outrun = Outrun{entry.by, entry.ground, entry.why};
    at(entry.candidate).in_race_again = false;
    return {};
  }

  base::Result<void> operator()(const CandidateDemoted& entry) {
    ASSAY_TRY(require(state_.phase == Phase::confirming && !state_.pending && state_.incumbent == entry.candidate,
                      "it is not the incumbent that is confirmed"));
    ASSAY_TRY(require(state_.confirmation && !state_.confirmations.back().holds(), "its confirmation did not fail"));
    state_.reign.pop_back();
    ASSAY_TRY(require(entry.to == (state_.reign.empty() ? 0 : state_.reign.back()), "the one before is another"));
    at(entry.candidate).demotion = entry.why;
    state_.incumbent = entry.to == 0 ? std::nullopt : std::optional(entry.to);
    state_.confirmation.reset();
    state_.confirmation_evaluation.clear();
    resume_search(at(entry.candidate).round);
    return {};
  }

  base::Result<void> operator()(const InjectionMade& entry) { return take(entry, state_); }

  base::Result<void> operator()(const InjectionGated& entry) {
    ASSAY_TRY(require(injected(entry.injection), "there is no such injection"));
    const bool is_null = injected_at(entry.injection).made.kind == InjectionKind::null;
    ASSAY_TRY(settle(is_null ? Purpose::null_gate : Purpose::slower_gate, entry.injection, entry.evaluation));
    return take(entry, state_);
  }

  base::Result<void> operator()(const InjectionSwept& entry) {
    ASSAY_TRY(settle(Purpose::null_sweep, entry.injection, entry.evaluation));
    return take(entry, state_);
  }

  base::Result<void> operator()(const NullPromoted& entry) { return take(entry, state_); }
  base::Result<void> operator()(const InjectionWarned& entry) { return take(entry, state_); }

  base::Result<void> operator()(const AgentRunIntended& entry) { return take(entry, state_); }
  base::Result<void> operator()(const AgentRunEnded& entry) { return take(entry, state_); }
  base::Result<void> operator()(const BudgetReached& entry) { return take(entry, state_); }
  base::Result<void> operator()(const ArmChosen& entry) { return take(entry, state_); }
  base::Result<void> operator()(const RoundPlanned& entry) { return take(entry, state_); }
  base::Result<void> operator()(const CandidatesSummarised& entry) { return take(entry, state_); }

  base::Result<void> operator()(const HypothesisStated& entry) { return take(entry, state_); }
  base::Result<void> operator()(const HypothesisTested& entry) { return take(entry, state_); }
  base::Result<void> operator()(const EvidenceRecorded& entry) { return take(entry, state_); }

  base::Result<void> operator()(const SupervisorFound& entry) { return take(entry, state_); }
  base::Result<void> operator()(const DecisionAsked& entry) { return take(entry, state_); }
  base::Result<void> operator()(const DecisionAnswered& entry) { return take(entry, state_); }
  base::Result<void> operator()(const DecisionClosed& entry) { return take(entry, state_); }
  base::Result<void> operator()(const PersonSteered& entry) { return take(entry, state_); }

  base::Result<void> operator()(const PersonTimeBooked& entry) { return take(entry, state_); }
  base::Result<void> operator()(const BudgetRaised& entry) { return take(entry, state_); }
  base::Result<void> operator()(const EvaluationUnaffordable& entry) { return take(entry, state_); }

  base::Result<void> operator()(const CampaignFinished& entry) {
    ASSAY_TRY(require(entry.incumbent == state_.incumbent_number(), "the incumbent is another one"));
    // A confirmation that failed demotes; journals of before end with it as it is. Nobody may be left to be confirmed.
    const bool confirmed = state_.phase == Phase::confirming && (state_.confirmation || !state_.incumbent);
    ASSAY_TRY(require(!state_.pending && (confirmed || (searching() && !state_.incumbent)), "it cannot end here"));
    state_.phase = Phase::finished;
    return {};
  }

  base::Result<void> account(const std::string& evaluation, const std::optional<Amounts>& spent) {
    return book_evaluation(evaluation, spent, settled_, state_);
  }

 private:
  static base::Result<void> require(bool holds, const char* otherwise) {
    if (holds) {
      return {};
    }
    return base::internal_error("journal.order", otherwise);
  }

  [[nodiscard]] bool searching() const { return may_search(state_); }

  [[nodiscard]] bool known(int number) const { return is_candidate(number, state_); }

  [[nodiscard]] bool injected(int number) const { return is_injection(number, state_); }

  InjectionState& injected_at(int number) { return state_.injections[static_cast<std::size_t>(number - 1)]; }

  static bool may_be_swept(const CandidateState& candidate) {
    return candidate.outcome == task::Outcome::better && candidate.sweep_evaluation.empty() &&
           (!candidate.outrun || candidate.in_race_again);
  }

  CandidateState& at(int number) { return state_.candidates[static_cast<std::size_t>(number - 1)]; }

  bool is_due(const EvaluationIntended& entry) {
    switch (entry.purpose) {
      case Purpose::baseline:
        return state_.phase == Phase::baseline && entry.candidate == 0;
      case Purpose::gate:
        return searching() && known(entry.candidate) && !at(entry.candidate).outcome;
      case Purpose::sweep:
        return searching() && known(entry.candidate) && may_be_swept(at(entry.candidate));
      case Purpose::confirmation:
        return (searching() || (state_.phase == Phase::confirming && !state_.confirmation)) && state_.incumbent &&
               entry.candidate == *state_.incumbent;
      case Purpose::null_gate:
      case Purpose::slower_gate:
        return searching() && injected(entry.candidate) && !injected_at(entry.candidate).outcome &&
               (injected_at(entry.candidate).made.kind == InjectionKind::null) == (entry.purpose == Purpose::null_gate);
      case Purpose::null_sweep:
        return searching() && injected(entry.candidate) && to_be_swept(injected_at(entry.candidate));
    }
    return false;
  }

  // What a demoted winner decided is open again: its siblings passed their gates against the incumbent that is back. And a
  // proposer that had nothing left against it may have something now.
  void resume_search(int round) {
    for (CandidateState& one : state_.candidates) {
      one.in_race_again = one.round == round && one.outrun && one.sweep_evaluation.empty();
    }
    state_.exhausted = false;
    state_.phase = Phase::searching;
  }

  // The pending evaluation has its result.
  base::Result<void> settle(Purpose purpose, int candidate, const std::string& evaluation) {
    const auto& pending = state_.pending;
    ASSAY_TRY(require(
        pending && pending->purpose == purpose && pending->candidate == candidate && pending->evaluation == evaluation,
        "nobody intended it"));
    state_.pending.reset();
    state_.failed_attempts = 0;
    state_.void_sessions = 0;
    state_.last_failure.clear();
    settled_ = purpose;
    return {};
  }

  base::Result<void> answer(int number, const std::string& by, const std::string& why) {
    ASSAY_TRY(require(state_.awaiting == number, "the candidate does not wait for an answer"));
    at(number).answered_by = by;
    at(number).answer = why;
    state_.awaiting.reset();
    state_.phase = Phase::searching;
    return {};
  }

  base::Result<void> add(const ProposedCandidate& proposed, int round) {
    ASSAY_TRY(require(proposed.number == static_cast<int>(state_.candidates.size()) + 1, "a number is out of order"));
    ASSAY_TRY(require(proposed.parent.value_or(0) < proposed.number, "a parent is not earlier"));
    CandidateState candidate;
    candidate.number = proposed.number;
    candidate.round = round;
    candidate.identity = proposed.identity;
    candidate.name = proposed.name;
    candidate.hypothesis = proposed.hypothesis;
    candidate.parent = proposed.parent;
    candidate.parameters = proposed.parameters;
    if (proposed.duplicate) {
      ASSAY_TRY(require(proposed.duplicate->of < proposed.number, "a duplicate repeats nothing earlier"));
      candidate.outcome = task::Outcome::duplicate;
      candidate.cause = describe(*proposed.duplicate, proposed.tests, state_);
      candidate.duplicate_of = proposed.duplicate->of;
    }
    if (proposed.tests) {
      ASSAY_TRY(require(static_cast<std::size_t>(*proposed.tests) <= state_.memory.hypotheses.size(),
                        "it tests a hypothesis that nobody stated"));
      HypothesisState& hypothesis = state_.memory.hypotheses[static_cast<std::size_t>(*proposed.tests - 1)];
      ASSAY_TRY(require(!hypothesis.candidate, "its hypothesis has a candidate already"));
      hypothesis.candidate = proposed.number;
      hypothesis.refused = candidate.cause;
      candidate.tests = proposed.tests;
    }
    state_.candidates.push_back(std::move(candidate));
    return {};
  }

  void chain(const LogRatio& own, CandidateState& candidate) {
    LogRatio base;  // The baseline is 0 from itself.
    if (state_.incumbent) {
      const CandidateState& incumbent = at(*state_.incumbent);
      base = {incumbent.log_ratio_to_baseline.value_or(0), incumbent.log_ratio_to_baseline_lower.value_or(0),
              incumbent.log_ratio_to_baseline_upper.value_or(0)};
    }
    candidate.log_ratio_to_baseline = own.mean + base.mean;
    candidate.log_ratio_to_baseline_lower = own.lower + base.lower;
    candidate.log_ratio_to_baseline_upper = own.upper + base.upper;
  }

  const CampaignConfiguration& configuration_;
  CampaignState& state_;
  std::optional<Purpose> settled_;  // Of the evaluation that this event ends.
};

tl::unexpected<base::Error> misfit(const CampaignConfiguration& configuration, const archive::Event& event,
                                   const std::string& why) {
  return base::internal_error("journal.order",
                              fmt::format("campaign {}: journal event {} ({}) does not fit: {}: keep the archive and "
                                          "report this",
                                          configuration.name, event.sequence, event.kind, why));
}

}  // namespace

base::Result<void> apply(const CampaignConfiguration& configuration, const archive::Event& event,
                         CampaignState& state) {
  if (event.sequence != state.last_sequence + 1) {
    return misfit(configuration, event, fmt::format("the last one was {}", state.last_sequence));
  }
  auto entry = base::with_context(decode_entry(event), "campaign " + configuration.name);
  if (!entry) {
    return tl::unexpected(std::move(entry.error()));
  }
  if (state.last_sequence == 0 && !std::holds_alternative<CampaignStarted>(*entry)) {
    return misfit(configuration, event, "a journal begins with campaign_started");
  }
  const auto applied = std::visit(
      [folding = Folding(configuration, state)](const auto& kind) mutable -> base::Result<void> {
        ASSAY_TRY(folding(kind));
        if constexpr (requires { kind.spent; }) {
          return folding.account(kind.evaluation, kind.spent);
        }
        return {};
      },
      *entry);
  if (!applied) {
    return misfit(configuration, event, applied.error().message);
  }
  state.last_sequence = event.sequence;
  return {};
}

base::Result<CampaignState> fold(const CampaignConfiguration& configuration,
                                 const std::vector<archive::Event>& events) {
  CampaignState state;
  for (const archive::Event& event : events) {
    ASSAY_TRY(apply(configuration, event, state));
  }
  return state;
}

}  // namespace assay::control
