#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/claims.hpp>
#include <assay/agent/population.hpp>
#include <assay/agent/prompt.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/agent/role_run.hpp>
#include <assay/agent/round_plan.hpp>
#include <assay/agent/run_journal.hpp>

namespace assay::agent {

/// Runs of a planner or a summariser in one round, at most: the first, and one more that is told what was wrong.
inline constexpr int kAnswerAttempts = 2;

struct FullAgentSettings {
  RoleSettings planner;
  RoleSettings executor;
  RoleSettings summariser;
  PopulationRules population;  ///< Its `offers` are the candidates of a round.
  task::Solution baseline;
  os::Path records;  ///< As RolePlaces has them.
  os::Path folders;
};

/// Proposes with three roles. A round begins with claims about the candidates of the last one (summariser), each of which is
/// checked; then parents are drawn from the population, hypotheses are stated about them (planner), and each is carried out
/// (executor). An answer that cannot be used is asked for once more, and then the round goes on without: executors state
/// their own hypotheses. Plans and checked claims are in the journal, and what runs of the round left is in their folders
/// (kept_run.hpp), so that no role is paid twice after a resume.
class FullAgent final : public Proposer {
 public:
  FullAgent(FullAgentSettings settings, MakeRoleProgram make_program)
      : settings_(std::move(settings)), make_program_(std::move(make_program)) {}

  [[nodiscard]] std::string name() const override { return "full-agent"; }
  void attend(const Situation& situation, RunJournal& journal) override;
  [[nodiscard]] base::Result<std::vector<Proposal>> propose(const std::vector<Trial>& history, int count) override;
  /// Has the last round summarised. What the budget does not hold, or the environment fails at, is kept as a summary that says
  /// so: nothing waits for it.
  [[nodiscard]] base::Result<void> conclude(const std::vector<Trial>& history) override;

 private:
  /// Whether there is budget for more.
  enum class Left : std::uint8_t { budget, nothing };

  [[nodiscard]] base::Result<Left> summarise(const std::vector<Trial>& history);
  [[nodiscard]] base::Result<Left> plan(const std::vector<Trial>& history, int count);
  [[nodiscard]] base::Result<std::vector<Proposal>> execute(const std::vector<Trial>& history);
  [[nodiscard]] base::Result<std::optional<RoleRun>> run(const RoleSettings& role, const RoleTask& task);
  [[nodiscard]] std::string state_json(Role role) const;

  FullAgentSettings settings_;
  MakeRoleProgram make_program_;
  Situation situation_;
  RunJournal* journal_ = nullptr;
  std::vector<EarlierRun> earlier_;  ///< Runs of this round that nobody has taken over yet.
};

/// The parents that a round is offered: what a replay recomputes.
[[nodiscard]] std::vector<ParentOffer> offers_for(const PopulationRules& rules, const task::Solution& baseline,
                                                  const std::vector<Trial>& history, int round);

}  // namespace assay::agent
