#include <assay/control/narration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/supervise/words.hpp>

namespace assay::control {
namespace {

std::string who(int number, const CampaignState& state) {
  return number == 0 ? "the baseline" : fmt::format("candidate {} ({})", number, state.candidate(number).name);
}

std::string injection_name(int number) { return fmt::format("injection {}", number); }

std::string ratio_words(const LogRatio& ratio) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", std::exp(-ratio.mean), std::exp(-ratio.upper), std::exp(-ratio.lower));
}

std::string_view verb(Purpose purpose) {
  switch (purpose) {
    case Purpose::baseline:
      return "measuring";
    case Purpose::gate:
      return "gate of";
    case Purpose::sweep:
      return "sweep of";
    case Purpose::confirmation:
      return "confirming";
    case Purpose::null_gate:
    case Purpose::slower_gate:
      return "gate of";
    case Purpose::null_sweep:
      return "sweep of";
  }
  return "";
}

// How often it may be wrong, where nothing was.
std::string known_of(const promote::Decision& decision) {
  return decision.correctness.empty() ? std::string() : "; " + decision.correctness;
}

struct Narrator {
  const CampaignState& state;

  std::string operator()(const CampaignStarted& /*entry*/) const { return "campaign started"; }
  std::string operator()(const EvaluationIntended& entry) const {
    const bool injected = entry.purpose == Purpose::null_gate || entry.purpose == Purpose::null_sweep ||
                          entry.purpose == Purpose::slower_gate;
    return fmt::format("{} {}{}", verb(entry.purpose),
                       injected ? injection_name(entry.candidate) : who(entry.candidate, state),
                       entry.attempt > 1 ? fmt::format(", attempt {}", entry.attempt) : "");
  }
  std::string operator()(const EvaluationFailed& entry) const {
    return fmt::format("{} could not be made: {}", entry.evaluation, entry.message);
  }
  std::string operator()(const BaselineMeasured& entry) const {
    return fmt::format("the baseline is measured, without a failure; {} workloads in {} regimes",
                       entry.baseline_ns.size(), entry.regimes.size());
  }
  std::string operator()(const BaselineFailed& /*entry*/) const { return state.failure; }
  std::string operator()(const CandidatesProposed& entry) const {
    if (entry.candidates.empty()) {
      return fmt::format("round {}: {} has nothing left to try", entry.round, entry.proposer);
    }
    const auto duplicates = std::count_if(entry.candidates.begin(), entry.candidates.end(),
                                          [](const ProposedCandidate& one) { return one.duplicate.has_value(); });
    return fmt::format("round {}: {} candidates from {}{}", entry.round, entry.candidates.size(), entry.proposer,
                       duplicates > 0 ? fmt::format(", {} of them duplicates", duplicates) : "");
  }
  std::string operator()(const CandidateGated& entry) const {
    return fmt::format("{}: {}{}", who(entry.candidate, state), task::to_string(entry.outcome),
                       entry.log_ratio       ? ", " + ratio_words(*entry.log_ratio)
                       : entry.cause.empty() ? std::string()
                                             : ": " + entry.cause);
  }
  std::string operator()(const CandidateSwept& entry) const {
    return fmt::format("{}, swept: {}{}", who(entry.candidate, state), entry.decision.reasons.front(),
                       known_of(entry.decision));
  }
  std::string operator()(const CandidatePromoted& entry) const {
    return fmt::format("{} is the new incumbent, approved by {}", who(entry.candidate, state), entry.by);
  }
  std::string operator()(const CandidateRefused& entry) const {
    return fmt::format("{} was refused by {}", who(entry.candidate, state), entry.by);
  }
  std::string operator()(const CampaignConfirmed& entry) const {
    return fmt::format("{} against the baseline: {}{}", who(entry.candidate, state), entry.decision.reasons.front(),
                       known_of(entry.decision));
  }
  std::string operator()(const CandidateOutrun& entry) const {
    return fmt::format("{} is not swept: {}", who(entry.candidate, state), entry.why);
  }
  std::string operator()(const CandidateDemoted& entry) const {
    return fmt::format("{} is demoted, {}; {} is the incumbent again", who(entry.candidate, state), entry.why,
                       who(entry.to, state));
  }
  std::string operator()(const InjectionMade& entry) const {
    return entry.kind == InjectionKind::null
               ? fmt::format("injection {}: a copy of {}, which must not win", entry.number, who(entry.of, state))
               : fmt::format("injection {}: {}, which must lose", entry.number, who(entry.of, state));
  }
  std::string operator()(const InjectionGated& entry) const {
    return fmt::format("{}: {}{}", injection_name(entry.injection), task::to_string(entry.outcome),
                       entry.log_ratio ? ", " + ratio_words(*entry.log_ratio) : ": " + entry.cause);
  }
  std::string operator()(const InjectionSwept& entry) const {
    return fmt::format("{}, swept: {}", injection_name(entry.injection), entry.decision.reasons.front());
  }
  std::string operator()(const NullPromoted& entry) const { return "ALARM: " + entry.why; }
  std::string operator()(const InjectionWarned& entry) const { return "warning: " + entry.why; }
  std::string operator()(const CampaignFinished& entry) const {
    return fmt::format("finished: the incumbent is {}", who(entry.incumbent, state));
  }
  std::string operator()(const AgentRunIntended& entry) const {
    return fmt::format("{} is asked for a candidate ({})", entry.agent, entry.run);
  }
  std::string operator()(const AgentRunEnded& entry) const {
    return fmt::format("{}: {}: {}", entry.run, agent::to_string(entry.outcome), entry.cause);
  }
  std::string operator()(const HypothesisStated& entry) const {
    return fmt::format("hypothesis {} of {}: {} in {}, predicted {}", entry.number, entry.by,
                       entry.hypothesis.mechanism.empty() ? entry.hypothesis.change : entry.hypothesis.mechanism,
                       entry.hypothesis.regime, task::predicted_text(entry.hypothesis.predicted));
  }
  std::string operator()(const HypothesisTested& entry) const {
    return fmt::format("hypothesis {} is {}: {}", entry.hypothesis, task::to_string(entry.test.status), entry.test.why);
  }
  std::string operator()(const EvidenceRecorded& entry) const {
    return fmt::format("{} in {}: {:.4g}{}", task::to_string(entry.evidence.kind), entry.evidence.regime,
                       entry.evidence.value, entry.evidence.word.empty() ? "" : ", " + entry.evidence.word);
  }
  std::string operator()(const ArmChosen& entry) const {
    return fmt::format("{} has the next run: {}", entry.arm, entry.why);
  }
  std::string operator()(const RoundPlanned& entry) const {
    const agent::RoundPlan& plan = entry.plan;
    if (plan.hypotheses.empty()) {
      return fmt::format("round {}: no plan could be used{}", plan.round,
                         plan.faults.empty() ? std::string() : ": " + plan.faults.front());
    }
    return fmt::format("round {}: {} planned, the first: {} (from {})", plan.round, plan.hypotheses.size(),
                       plan.hypotheses.front().change, who(plan.hypotheses.front().parent, state));
  }
  std::string operator()(const CandidatesSummarised& entry) const {
    std::array<std::ptrdiff_t, agent::kClaimStatuses.size()> counts{};
    for (const agent::JudgedClaim& one : entry.summary.claims) {
      ++counts[static_cast<std::size_t>(one.status)];
    }
    return fmt::format("{} claims about what was judged: {} checked, {} contradicted, {} unverifiable",
                       entry.summary.claims.size(), counts[0], counts[1], counts[2]);
  }
  std::string operator()(const SupervisorFound& entry) const {
    return fmt::format("the supervisor sees {} ({}): {}: {}", supervise::in_words(entry.condition),
                       supervise::in_words(entry.cause), supervise::in_words(entry.recovery), entry.evidence);
  }
  std::string operator()(const DecisionAsked& entry) const {
    return fmt::format("a decision waits for a person (assay inbox): {}; otherwise: {}{}", entry.question,
                       in_words(entry.otherwise),
                       entry.deadline ? fmt::format(", after round {}", *entry.deadline)
                                      : std::string(", when the campaign is continued"));
  }
  std::string operator()(const DecisionAnswered& entry) const {
    return fmt::format("decision {}: {} chose to {}{}", entry.decision, entry.by, in_words(entry.option),
                       entry.why.empty() ? "" : ", because " + entry.why);
  }
  std::string operator()(const DecisionClosed& entry) const {
    const DecisionAsked& asked = state.supervision.decisions[static_cast<std::size_t>(entry.decision - 1)].asked;
    return entry.closing == Closing::overtaken
               ? fmt::format("decision {} is overtaken by an improvement", entry.decision)
               : fmt::format("decision {}: nobody answered: {}", entry.decision, in_words(asked.otherwise));
  }
  std::string operator()(const PersonSteered& entry) const { return fmt::format("{} says: {}", entry.by, entry.text); }
  std::string operator()(const BudgetReached& entry) const {
    return fmt::format("{} is not asked: {}", entry.agent, entry.why);
  }
  std::string operator()(const PersonTimeBooked& entry) const {
    return fmt::format("{} took {} ({})", entry.person, amount_text(Resource::human_seconds, entry.seconds),
                       entry.what);
  }
  std::string operator()(const BudgetRaised& entry) const {
    return fmt::format("{} raised the budget to {}", entry.by, limits_text(entry.limits));
  }
  std::string operator()(const EvaluationUnaffordable& entry) const {
    return fmt::format("{} is not made: {}", entry.evaluation, entry.why);
  }
};

}  // namespace

std::string narrate(const Entry& entry, const CampaignState& state) { return std::visit(Narrator{state}, entry); }

}  // namespace assay::control
