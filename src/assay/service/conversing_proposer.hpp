#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <assay/agent/prompt.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/agent/run_journal.hpp>
#include <assay/base/error.hpp>
#include <assay/service/submitted_proposer.hpp>
#include <assay/service/takes_submissions.hpp>

namespace assay::service {

/// Lets an agent submit candidates while its run goes on, and hear what became of them: each submission is a round of its own,
/// and the run lasts over several. The agent's own proposer works in a thread; what it tells the journal is written down by the
/// campaign's thread, in `propose`. What the run leaves at its end is a proposal too, unless it was submitted.
class ConversingProposer final : public agent::Proposer, public TakesSubmissions, private agent::RunJournal {
 public:
  struct Ways {
    std::unique_ptr<agent::Proposer> agent;  ///< One run each time that it is asked for one proposal.
    std::function<void()> stop;              ///< Ends the run at once, from another thread.
    std::function<bool()> last_round;        ///< Whether the round that is proposed for is the last one.
  };
  ConversingProposer(SubmissionStore store, task::Solution origin, Ways ways);
  /// Ends a run that is going on: its account is then lost, as if the controller had died.
  ~ConversingProposer() override;
  ConversingProposer(const ConversingProposer&) = delete;
  ConversingProposer& operator=(const ConversingProposer&) = delete;

  // As a proposer, for the campaign's thread.
  [[nodiscard]] std::string name() const override { return ways_.agent->name(); }
  void attend(const agent::Situation& situation, agent::RunJournal& journal) override;
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& history,
                                                                   int count) override;
  [[nodiscard]] bool is_running() const override;

  // For the agent's tools.
  [[nodiscard]] const SubmissionStore& store() const override { return store_; }
  [[nodiscard]] base::Result<std::string> submit(const Submission& submission) override;
  void wake() override {}  // The campaign goes on by itself.
  [[nodiscard]] DeskWork work() const override;
  /// Tells how far the campaign is, for `work`.
  void note(double done, double total);

 private:
  // What the run's thread wants to be written down, or to know of the journal.
  struct Wish {
    const std::function<void()>* work = nullptr;
    bool done = false;
  };
  using Proposals = base::Result<std::vector<agent::Proposal>>;

  [[nodiscard]] base::Result<std::string> intend(const agent::RunIntent& intent) override;
  [[nodiscard]] base::Result<void> end(const agent::RunEnding& ending) override;
  [[nodiscard]] std::vector<agent::EarlierRun> earlier() const override;
  [[nodiscard]] std::vector<agent::EarlierRun> runs_of_round() const override;
  [[nodiscard]] std::vector<std::string> of_session(const std::string& session) const override;
  [[nodiscard]] std::chrono::nanoseconds allowed_wall(std::chrono::nanoseconds wanted) const override;
  /// Has the campaign's thread do something with its journal; called by the run's. If the campaign stops, it is not done.
  void ask(const std::function<void()>& work) const;
  /// Fulfils it. Without the lock: whatever follows an event may ask how this stands.
  void grant(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] base::Result<void> start(const std::vector<agent::Trial>& history);
  /// What the ended run left, without what the history has.
  [[nodiscard]] Proposals take_result(const std::vector<agent::Trial>& history);

  SubmissionStore store_;
  SubmittedProposer submitted_;
  Ways ways_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::thread thread_;
  bool closing_ = false;
  bool running_ = false;  // From the start of a run to when its result is taken.
  bool started_ = false;  // A run was, in this process.
  mutable std::optional<Wish> wish_;
  std::optional<Proposals> result_;
  std::size_t jobs_before_ = 0;  // The run that goes on.
  std::optional<agent::Situation> situation_;
  agent::RunJournal* journal_ = nullptr;
  DeskWork work_;
};

}  // namespace assay::service
