#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/agent_run.hpp>
#include <assay/agent/http_agent.hpp>
#include <assay/agent/prompt.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/agent/run_journal.hpp>

namespace assay::agent {

/// What an agent that proposes is.
struct AgentSettings {
  AgentChoice choice;
  RunLimits limits;
  Usage most;                          ///< That one run may cost; what is set aside for it.
  task::Solution origin;               ///< What it begins with as long as nothing better is known.
  os::Path records;                    ///< A folder that keeps the stream of each run, as "<id>.jsonl".
  std::optional<HttpAgent> http = {};  ///< A model that is asked instead of a program.
  std::string name = {};               ///< Among several agents; empty: the choice's word.
  bool keeps_language = false;         ///< Whether only candidates in the origin's language may be its parents.
};

/// Makes the program of a run that sees its working folder there.
using MakeProgram = std::function<base::Result<AgentProgram>(const os::Path& folder)>;

/// Lets an agent propose: one run a proposal, in a private folder that holds the sources of the fastest correct candidate
/// so far. A run that leaves no candidate is no proposal, whatever it says. If the environment fails (no quota, no
/// network), what was proposed before is returned, or the error if there is nothing.
class AgentProposer final : public Proposer {
 public:
  AgentProposer(AgentSettings settings, MakeProgram make_program)
      : settings_(std::move(settings)), make_program_(std::move(make_program)) {}

  [[nodiscard]] std::string name() const override {
    return settings_.name.empty() ? settings_.choice.word : settings_.name;
  }
  void attend(const Situation& situation, RunJournal& journal) override;
  [[nodiscard]] base::Result<std::vector<Proposal>> propose(const std::vector<Trial>& history, int count) override;

 private:
  [[nodiscard]] base::Result<AgentRun> run_once(const os::Path& folder, const std::string& id) const;

  AgentSettings settings_;
  MakeProgram make_program_;
  std::optional<Situation> situation_;
  RunJournal* journal_ = nullptr;
};

/// What a run left in its folder, as a proposal named `id`; nothing if it is none. `number` is the parent's.
[[nodiscard]] base::Result<std::optional<Proposal>> collect_proposal(const os::Path& folder, const std::string& id,
                                                                     const task::Solution& parent,
                                                                     std::optional<int> number,
                                                                     const std::string& author);

/// The fastest correct trial, of those in `language` if one is given; nullptr if none is faster than the baseline.
[[nodiscard]] const Trial* fastest_trial(const std::vector<Trial>& history,
                                         std::optional<task::Language> language = std::nullopt);

/// The correct trial of that number, if a person wants it to be started from and there is one in that language; else the
/// fastest.
[[nodiscard]] const Trial* starting_trial(const std::vector<Trial>& history, std::optional<int> wanted,
                                          std::optional<task::Language> language = std::nullopt);

}  // namespace assay::agent
