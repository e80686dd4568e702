#include <fmt/format.h>

#include <cstddef>

#include <assay/control/proposals.hpp>
#include <assay/control/requests.hpp>
#include <assay/control/state.hpp>

namespace assay::control {
namespace {

// Applies one kind of event each. A `require` that does not hold makes the event one that does not fit.
class Folding {
 public:
  Folding(const CampaignConfiguration& configuration, CampaignState& state)
      : configuration_(configuration), state_(state) {}

  base::Result<void> operator()(const CampaignStarted& /*entry*/) {
    if (configuration_.agent) {
      state_.ledger = Ledger(configuration_.agent->budget);
    }
    return require(state_.last_sequence == 0, "a journal has one beginning");
  }

  base::Result<void> operator()(const EvaluationIntended& entry) {
    ASSAY_TRY(require(!state_.pending, "another evaluation is under way"));
    ASSAY_TRY(require(entry.attempt == state_.failed_attempts + 1, "the attempt is out of order"));
    ASSAY_TRY(require(is_due(entry), "the evaluation is not due"));
    ASSAY_TRY(require(entry.incumbent == compared_with(state_, entry.purpose), "the incumbent is another one"));
    state_.pending = {entry.purpose, entry.candidate, entry.attempt, entry.evaluation};
    if (entry.purpose == Purpose::confirmation) {
      state_.phase = Phase::confirming;
    }
    return {};
  }

  base::Result<void> operator()(const EvaluationFailed& entry) {
    ASSAY_TRY(require(state_.pending && state_.pending->evaluation == entry.evaluation, "nobody intended it"));
    state_.pending.reset();
    ++state_.failed_attempts;
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
    if (entry.log_ratio) {
      chain(*entry.log_ratio, candidate);
    }
    return {};
  }

  base::Result<void> operator()(const CandidateSwept& entry) {
    ASSAY_TRY(settle(Purpose::sweep, entry.candidate, entry.evaluation));
    CandidateState& candidate = at(entry.candidate);
    candidate.sweep_evaluation = entry.evaluation;
    candidate.outcome = entry.outcome;
    candidate.cause = entry.cause;
    candidate.decision = entry.decision;
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
    return {};
  }

  base::Result<void> operator()(const CandidateRefused& entry) { return answer(entry.candidate, entry.by, entry.why); }

  base::Result<void> operator()(const CampaignConfirmed& entry) {
    ASSAY_TRY(settle(Purpose::confirmation, entry.candidate, entry.evaluation));
    state_.confirmation_evaluation = entry.evaluation;
    state_.confirmation = entry.decision;
    return {};
  }

  base::Result<void> operator()(const AgentRunIntended& entry) {
    ASSAY_TRY(require(searching(), "no agent can run now"));
    ++state_.agent_runs;
    return require(state_.ledger.reserve(entry.run, entry.most).has_value(), "the budget does not hold the run");
  }

  base::Result<void> operator()(const AgentRunEnded& entry) {
    ASSAY_TRY(require(state_.ledger.settle(entry.run, entry.actuals).has_value(), "nobody intended the run"));
    state_.agent_outcomes.push_back(entry.outcome);
    return {};
  }

  base::Result<void> operator()(const BudgetReached& entry) {
    state_.budget_reached = entry.why;
    return require(searching(), "no agent can run now");
  }

  base::Result<void> operator()(const CampaignFinished& entry) {
    ASSAY_TRY(require(entry.incumbent == state_.incumbent_number(), "the incumbent is another one"));
    const bool confirmed = state_.phase == Phase::confirming && state_.confirmation;
    ASSAY_TRY(require(!state_.pending && (confirmed || (searching() && !state_.incumbent)), "it cannot end here"));
    state_.phase = Phase::finished;
    return {};
  }

 private:
  static base::Result<void> require(bool holds, const char* otherwise) {
    if (holds) {
      return {};
    }
    return base::internal_error("journal.order", otherwise);
  }

  [[nodiscard]] bool searching() const {
    return state_.phase == Phase::searching && !state_.pending && !state_.awaiting;
  }

  [[nodiscard]] bool known(int number) const {
    return number >= 1 && static_cast<std::size_t>(number) <= state_.candidates.size();
  }

  CandidateState& at(int number) { return state_.candidates[static_cast<std::size_t>(number - 1)]; }

  bool is_due(const EvaluationIntended& entry) {
    switch (entry.purpose) {
      case Purpose::baseline:
        return state_.phase == Phase::baseline && entry.candidate == 0;
      case Purpose::gate:
        return searching() && known(entry.candidate) && !at(entry.candidate).outcome;
      case Purpose::sweep:
        return searching() && known(entry.candidate) && at(entry.candidate).outcome == task::Outcome::better &&
               at(entry.candidate).sweep_evaluation.empty();
      case Purpose::confirmation:
        return (searching() || (state_.phase == Phase::confirming && !state_.confirmation)) && state_.incumbent &&
               entry.candidate == *state_.incumbent;
    }
    return false;
  }

  // The pending evaluation has its result.
  base::Result<void> settle(Purpose purpose, int candidate, const std::string& evaluation) {
    const auto& pending = state_.pending;
    ASSAY_TRY(require(
        pending && pending->purpose == purpose && pending->candidate == candidate && pending->evaluation == evaluation,
        "nobody intended it"));
    state_.pending.reset();
    state_.failed_attempts = 0;
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
      candidate.cause = describe(*proposed.duplicate);
      candidate.duplicate_of = proposed.duplicate->of;
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
  const auto applied = std::visit(Folding(configuration, state), *entry);
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
