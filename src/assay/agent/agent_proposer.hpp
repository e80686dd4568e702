#pragma once

#include <chrono>
#include <cstdint>
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
  os::Path folders;                    ///< Where each run has a folder of its own until its proposal is written down.
  std::optional<HttpAgent> http = {};  ///< A model that is asked instead of a program.
  std::string name = {};               ///< Among several agents; empty: the choice's word.
  bool keeps_language = false;         ///< Whether only candidates in the origin's language may be its parents.
};

/// Makes the program of a run that sees its working folder there.
using MakeProgram = std::function<base::Result<AgentProgram>(const os::Path& folder)>;

/// Lets an agent propose: one run a proposal, in a private folder that holds the sources of the fastest correct candidate
/// so far. A run that leaves no candidate is no proposal, whatever it says. If the environment fails (no quota, no
/// network), what was proposed before is returned, or the error if there is nothing.
///
/// The folder and the account of a run are on disk before its end is told to the journal (kept_run.hpp). A controller that
/// takes over from one that was killed proposes from there, without a run that was made already; it makes one that was not
/// begun under its old id, and pays one that was cut off as it was set aside.
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
  /// What is proposed from, and what was so far.
  struct Round {
    const Trial* best = nullptr;  ///< nullptr: the origin.
    const task::Solution* parent = nullptr;
    Situation situation;
    int runs = 0;  ///< That count: those that the environment let be.
    std::vector<Proposal> proposals;
  };
  enum class Next : std::uint8_t { go_on, enough };

  /// What a run may take, its end included.
  [[nodiscard]] std::chrono::nanoseconds allowed_wall() const;
  /// Goes on with a run of an earlier controller.
  [[nodiscard]] base::Result<Next> take_over(const EarlierRun& earlier, Round& round);
  /// Makes the run of this id, from nothing.
  [[nodiscard]] base::Result<Next> make(const std::string& id, Round& round);
  [[nodiscard]] base::Result<AgentRun> run_once(const os::Path& folder, const std::string& id,
                                                const task::Solution& parent) const;
  /// Ends in the journal a run that was begun and of which nobody knows how it ended.
  [[nodiscard]] base::Result<void> end_interrupted(const std::string& id);
  /// What follows from a run whose end is in the journal.
  [[nodiscard]] base::Result<Next> follow(const std::string& id, RunOutcome outcome, const std::string& cause,
                                          Round& round) const;

  AgentSettings settings_;
  MakeProgram make_program_;
  std::optional<Situation> situation_;
  RunJournal* journal_ = nullptr;
};

/// What a run left in its folder, as a proposal named `id`; nothing if it is none. `number` is the parent's.
[[nodiscard]] std::optional<Proposal> collect_proposal(const os::Path& folder, const std::string& id,
                                                       const task::Solution& parent, std::optional<int> number,
                                                       const std::string& author);

/// The fastest correct trial, of those in `language` if one is given; nullptr if none is faster than the baseline.
[[nodiscard]] const Trial* fastest_trial(const std::vector<Trial>& history,
                                         std::optional<task::Language> language = std::nullopt);

/// The correct trial of that number, if a person wants it to be started from and there is one in that language; else the
/// fastest.
[[nodiscard]] const Trial* starting_trial(const std::vector<Trial>& history, std::optional<int> wanted,
                                          std::optional<task::Language> language = std::nullopt);

}  // namespace assay::agent
