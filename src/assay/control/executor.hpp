#pragma once

#include <optional>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/archive/bundle.hpp>
#include <assay/base/error.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/known_code.hpp>
#include <assay/control/next_action.hpp>
#include <assay/control/results.hpp>

namespace assay::control {

/// Carries out actions: the only part of the controller that does anything. Every change is an event in the journal
/// first and a change of the state by `apply` second.
class Executor {
 public:
  /// All references must outlive the executor.
  Executor(archive::Archive& archive, const CampaignConfiguration& configuration, CampaignState state,
           Evaluator& evaluator, agent::Proposer& proposer, const Observer& observer);

  [[nodiscard]] const CampaignState& state() const { return state_; }

  [[nodiscard]] base::Result<void> perform(const Action& action);

  /// Leaves out what is evidence, as journals of before it was recorded have it.
  void omit_evidence() { evidence_ = false; }

  /// Takes what people left for the running campaign (mailbox.hpp) into the journal. What does not fit is dropped, and told.
  [[nodiscard]] base::Result<void> take_messages();

 private:
  [[nodiscard]] base::Result<void> perform_one(const Start& start);
  [[nodiscard]] base::Result<void> perform_one(const Evaluate& evaluate);
  [[nodiscard]] base::Result<void> perform_one(const Propose& propose);
  [[nodiscard]] base::Result<void> perform_one(const Conclude& conclude);
  [[nodiscard]] base::Result<void> perform_one(const PromoteByPolicy& promotion);
  [[nodiscard]] base::Result<void> perform_one(const Note& note);
  [[nodiscard]] base::Result<void> perform_one(const Demote& demotion);
  [[nodiscard]] base::Result<void> perform_one(const Inject& injection);
  [[nodiscard]] base::Result<void> perform_one(const Finish& finish);
  [[nodiscard]] base::Result<void> perform_one(const Stop& stop);

  /// Appends an event and follows it.
  [[nodiscard]] base::Result<void> record(const Entry& entry);
  /// Appends several in one transaction, and follows them.
  [[nodiscard]] base::Result<void> record_all(const std::vector<Entry>& entries);
  /// Applies an event that has landed, and tells the observer.
  [[nodiscard]] base::Result<void> follow(const Entry& entry);

  /// Builds what the evaluation and the rest of its round need, once.
  [[nodiscard]] base::Result<void> prepare(const PendingEvaluation& target);
  /// Evaluates and ingests with the events that the result means.
  [[nodiscard]] base::Result<void> attempt(const PendingEvaluation& target, const std::optional<Amounts>& most);
  /// Whether a judge was under way when the controller ended, and left nothing.
  [[nodiscard]] bool is_interrupted(const PendingEvaluation& target) const;
  /// Turns a result into the events that it means: first what became of the subject, then what was learned.
  [[nodiscard]] base::Result<std::vector<Entry>> interpret(const PendingEvaluation& target,
                                                           const task::EvaluationRequest& request,
                                                           const JudgesAnswer& answer) const;
  /// Ingests the bundle and appends the events in one transaction.
  [[nodiscard]] base::Result<void> ingest(const os::Path& folder, const std::vector<Entry>& entries);

  /// Solution of a candidate by its number; 0 is the baseline.
  [[nodiscard]] base::Result<task::Solution> solution(int number) const;
  /// What is evaluated: a candidate or an injection.
  [[nodiscard]] base::Result<task::Solution> subject(const PendingEvaluation& target) const;
  [[nodiscard]] base::Result<std::vector<agent::Trial>> history() const;

  archive::Archive& archive_;
  const CampaignConfiguration& configuration_;
  CampaignState state_;
  Evaluator& evaluator_;
  agent::Proposer& proposer_;
  const Observer& observer_;
  KnownCode known_code_;
  bool evidence_ = true;
  int attempts_ = 0;  // At the evaluation that is due, in this run.
  bool prepared_baseline_ = false;
  std::optional<int> prepared_round_;      // Whose candidates are in the build cache.
  std::optional<int> prepared_injection_;  // Whose solution is.
};

}  // namespace assay::control
