#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/ledger.hpp>
#include <assay/control/memory.hpp>
#include <assay/control/supervision_state.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/representatives.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/solution.hpp>

namespace assay::control {

enum class Phase : std::uint8_t {
  baseline,           ///< The baseline is to be measured over all workloads.
  searching,          ///< Rounds of proposals.
  awaiting_approval,  ///< A winner waits for a person.
  confirming,         ///< The incumbent is compared with the baseline in a new session.
  finished,
  failed,  ///< The baseline itself failed; nothing can be compared with it.
};

[[nodiscard]] std::string_view to_string(Phase phase);

/// Why a winner of its gate was not swept.
struct Outrun {
  int by = 0;
  OutrunGround ground = OutrunGround::bounds;
  std::string why;
};

/// One candidate of the campaign, as the journal tells it.
struct CandidateState {
  int number = 0;  ///< From 1.
  int round = 0;   ///< 0: supplied by hand.
  task::CandidateIdentity identity;
  std::string name;
  agent::Hypothesis hypothesis;
  std::optional<int> parent;
  task::Named<std::int64_t> parameters;
  std::optional<task::Outcome> outcome;  ///< Of the last evaluation; absent: not yet judged.
  std::string cause;                     ///< One sentence; for a sweep, what decided it.
  std::optional<int> duplicate_of;       ///< 0: the baseline.
  std::string gate_evaluation;           ///< Evaluation ids; empty if not reached.
  std::string sweep_evaluation;
  /// Chained over the representatives: the own gate against the incumbent of that time, plus that one's own. The bounds
  /// are sums too, so they are wider than they need be. For the search and for pictures; never for a promotion.
  std::optional<double> log_ratio_to_baseline;
  std::optional<double> log_ratio_to_baseline_lower;
  std::optional<double> log_ratio_to_baseline_upper;
  std::optional<promote::Decision> decision;  ///< Of its sweep against the incumbent of that time.
  bool promoted = false;
  std::string answered_by;  ///< Who promoted or refused it: "policy quick", or a person; empty if nobody had to.
  std::string answer;       ///< And why, in their words.

  /// Its gate, against the incumbent of that time and not chained: what the race of its round is decided by.
  std::optional<LogRatio> gate_log_ratio;
  std::optional<Outrun> outrun;  ///< Absent: it was swept, failed its gate, or its round is still open.
  bool in_race_again = false;    ///< A winner of its round that outran it was demoted: it may be swept after all.
  int gated_against = 0;         ///< The incumbent of that time; 0: the baseline.
  std::optional<std::string> demotion;  ///< Why its confirmation took the place back that a promotion had given it.
  std::optional<int> tests;             ///< The hypothesis that it tests, by number.
};

/// One new session of a finalist against the baseline.
struct ConfirmationState {
  int candidate = 0;
  std::string evaluation;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  promote::Decision decision;

  [[nodiscard]] bool holds() const { return decision.verdict == promote::Decision::Verdict::promote; }
};

/// One injection (injection_events.hpp), as the journal tells it.
struct InjectionState {
  InjectionMade made;
  std::optional<task::Outcome> outcome;  ///< Of its last evaluation; absent: not yet judged.
  std::string cause;
  std::string gate_evaluation;  ///< Evaluation ids; empty if not reached.
  std::string sweep_evaluation;
  std::optional<LogRatio> log_ratio;          ///< Of its gate.
  std::optional<promote::Decision> decision;  ///< Of its sweep; never followed.
  bool passed_gate = false;                   ///< Its gate called it better.
  std::string alarm;                          ///< The rule would have promoted it; empty: not.
  std::string warning;                        ///< What else is wrong about its answer; empty: nothing.
};

/// An evaluation whose intent is in the journal and whose result is not.
struct PendingEvaluation {
  Purpose purpose = Purpose::baseline;
  int candidate = 0;
  int attempt = 1;
  std::string evaluation;
};

/// One run of an agent, as the journal tells it.
struct AgentRunState {
  std::string id;
  std::string agent;
  int round = 0;                             ///< Whose proposals it is for.
  std::optional<agent::RunOutcome> outcome;  ///< Absent: it has not ended, or nobody lived to say so.
  std::optional<double> micro_dollars;       ///< What it told; absent: nothing.
  std::string session;                       ///< Empty: it told none.
  std::string model;
  std::string cause = {};  ///< How it ended, in words; and what there is to say of what it left.
};

/// What was spent for a promotion: all since the one before, or since the beginning.
struct PromotionCost {
  int candidate = 0;
  Amounts cost;
};

/// State is a fold over the journal; nothing else is remembered.
struct CampaignState {
  Phase phase = Phase::baseline;
  std::int64_t last_sequence = 0;
  std::vector<CandidateState> candidates;
  std::vector<promote::Regime> regimes;
  std::vector<double> baseline_ns;  ///< One a workload.
  std::string baseline_evaluation;
  std::optional<int> incumbent;  ///< Candidate number; absent: the baseline.
  std::optional<int> awaiting;   ///< The candidate that won its sweep and has no answer yet.
  bool supplied_proposed = false;
  int rounds_started = 0;  ///< Rounds after the supplied candidates whose proposals are in the journal.
  bool exhausted = false;  ///< The proposer had nothing left.
  std::optional<PendingEvaluation> pending;
  int failed_attempts = 0;   ///< Attempts at the evaluation that is due which ended in an error of the environment.
  int void_sessions = 0;     ///< Of these, sessions that were held and said nothing (void_confirmation.hpp).
  std::string last_failure;  ///< Why the last of these attempts failed; empty: none did.
  std::string confirmation_evaluation;
  std::optional<promote::Decision> confirmation;  ///< The incumbent against the baseline: the only headline number.
  std::string failure;
  Ledger ledger;  ///< Of what all costs: runs of agents, evaluations, people.
  int agent_runs = 0;
  std::vector<agent::RunOutcome> agent_outcomes;  ///< Of those that have ended, in their order.
  std::vector<AgentRunState> runs;                ///< In their order.
  std::size_t runs_of_earlier_rounds = 0;         ///< The others are of the round that is being proposed for.
  std::string budget_reached;                     ///< Why the last run that was refused was; empty: none was.
  int arms_chosen = 0;
  std::string arm_pending;  ///< Chosen for a run that has not begun; empty: none.

  std::vector<agent::RoundPlan> plans;    ///< One a round that three roles proposed, in their order.
  std::vector<agent::Summary> summaries;  ///< In their order.

  std::map<Purpose, Amounts> dearest;   ///< The most that an evaluation of each kind took so far.
  bool search_ended_by_budget = false;  ///< An evaluation of the search was not affordable; what it found is confirmed.
  bool stopped_by_budget = false;       ///< Nor was the baseline's, or a confirmation: nothing more is done.
  std::vector<BudgetRaised> raises;     ///< In their order.
  std::vector<PromotionCost> promotion_costs;  ///< In the order of the promotions, those taken back later too.

  std::vector<int> reign;  ///< Promoted and not demoted, in that order: the last is the incumbent.
  std::vector<ConfirmationState> confirmations;  ///< In their order, failed ones too; `confirmation` is the last one's.
  std::vector<InjectionState> injections;        ///< By number.
  Memory memory;                                 ///< What was learned: hypotheses and evidence.
  SupervisionState supervision;

  [[nodiscard]] const CandidateState& candidate(int number) const;
  [[nodiscard]] const InjectionState& injection(int number) const;
  /// What makes the whole campaign doubtful: each alarm in words. Empty: nothing known.
  [[nodiscard]] std::vector<std::string> alarms() const;
  /// What was booked after the last promotion.
  [[nodiscard]] Amounts spent_since_promotion() const;
  /// Number of the incumbent; 0 is the baseline.
  [[nodiscard]] int incumbent_number() const { return incumbent.value_or(0); }
  /// The round of the newest proposals: 0 before the first and for the supplied candidates.
  [[nodiscard]] int current_round() const { return rounds_started; }
};

/// The number of the next attempt at an evaluation; a candidate that was confirmed before has one more for each time.
[[nodiscard]] int next_attempt(const CampaignState& state, Purpose purpose, int candidate);

/// Folds a journal. An event that does not fit (an unknown kind, a number out of order, a result that nobody intended)
/// is an internal error that names the campaign and the sequence.
[[nodiscard]] base::Result<CampaignState> fold(const CampaignConfiguration& configuration,
                                               const std::vector<archive::Event>& events);

/// Applies the next event to a state. On an error the state must not be used any more.
[[nodiscard]] base::Result<void> apply(const CampaignConfiguration& configuration, const archive::Event& event,
                                       CampaignState& state);

}  // namespace assay::control
