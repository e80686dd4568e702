#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/policy.hpp>
#include <assay/promote/representatives.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::control {

/// Everything that decides a campaign; stored with it when it is created, so that `resume` needs nothing else.
struct CampaignConfiguration {
  std::string name;  ///< [0-9a-z-], at most 40 characters.
  std::string device = "cpu";
  task::Definition definition;
  std::vector<task::Workload> workloads;
  task::Solution baseline;
  std::vector<task::Solution> supplied;       ///< Candidates by hand: evaluated first, in this order.
  std::optional<task::Solution> tunable;      ///< What the built-in tuner searches.
  std::uint64_t tuner_seed = 0;
  int rounds = 3;
  int candidates_per_round = 8;
  promote::Policy policy;
};

[[nodiscard]] base::Json encode(const CampaignConfiguration& configuration);
[[nodiscard]] base::Result<CampaignConfiguration> decode_configuration(const base::Json& json, std::string_view source);

enum class Phase : std::uint8_t {
  baseline,           ///< The baseline is to be measured over all workloads.
  searching,          ///< Rounds of proposals.
  awaiting_approval,  ///< A winner waits for a person.
  confirming,         ///< The last incumbent is compared with the baseline over all workloads, in a new session.
  finished,
  failed,             ///< The baseline itself failed; nothing can be compared with it.
};

[[nodiscard]] std::string_view to_string(Phase phase);

/// One candidate of the campaign, as the journal tells it.
struct CandidateState {
  int number = 0;  ///< From 1.
  int round = 0;   ///< 0: supplied by hand.
  task::CandidateIdentity identity;
  std::string name;
  agent::Hypothesis hypothesis;
  std::optional<int> parent;
  task::Named<std::int64_t> parameters;
  std::optional<task::Outcome> outcome;  ///< Absent: not yet judged.
  std::string cause;
  std::optional<int> duplicate_of;
  std::string gate_evaluation;   ///< Evaluation ids; empty if not reached.
  std::string sweep_evaluation;
  std::optional<double> log_ratio_to_baseline;        ///< Chained: own gate against the incumbent of that time, plus its.
  std::optional<double> log_ratio_to_baseline_lower;
  std::optional<double> log_ratio_to_baseline_upper;
  std::optional<promote::Decision> decision;
  bool promoted = false;
};

/// State is a fold over the journal; nothing else is remembered.
struct CampaignState {
  Phase phase = Phase::baseline;
  std::int64_t last_sequence = 0;
  std::vector<CandidateState> candidates;
  std::vector<promote::Regime> regimes;
  std::vector<double> baseline_ns;     ///< One a workload.
  std::string baseline_evaluation;
  std::optional<int> incumbent;        ///< Candidate number; absent: the baseline.
  std::optional<int> awaiting;         ///< The candidate that waits for approval.
  int rounds_started = 0;
  std::string confirmation_evaluation;
  std::optional<promote::Decision> confirmation;  ///< The incumbent against the baseline: the only headline number.
  std::string failure;
};

/// Folds a journal. An event that does not fit (an unknown kind, a number out of order) is an internal error.
[[nodiscard]] base::Result<CampaignState> fold(const CampaignConfiguration& configuration,
                                               const std::vector<archive::Event>& events);

/// What the controller drives; real in service, fake in tests.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Builds these solutions into the cache, in parallel, so that no build disturbs a timing. Failures are not errors
  /// here: the evaluation will meet them.
  virtual base::Result<void> prepare(const std::vector<task::Solution>& solutions) = 0;
  /// Runs the judge and returns the path of the bundle; a bundle of this id that exists already is returned at once.
  virtual base::Result<os::Path> evaluate(const task::EvaluationRequest& request) = 0;
};

/// Tells a person what happens; may be empty.
struct Observer {
  std::function<void(const CampaignState&, const std::string& line)> on_event;
};

/// Runs a campaign from wherever its journal stands until it is finished, failed, or waits for a person. Every result
/// lands in one transaction with its event, so a kill at any moment loses nothing that was finished. An evaluation
/// that ends in an environment error is tried again up to twice; the attempts are journalled.
[[nodiscard]] base::Result<CampaignState> run_campaign(archive::Archive& archive, const std::string& name,
                                                       Evaluator& evaluator, agent::Proposer& proposer,
                                                       const Observer& observer);

/// Records a person's approval or refusal of the waiting candidate.
[[nodiscard]] base::Result<void> approve(archive::Archive& archive, const std::string& campaign, bool yes,
                                         const std::string& who, const std::string& why);

}  // namespace assay::control
