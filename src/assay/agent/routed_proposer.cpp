#include <assay/agent/routed_proposer.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace assay::agent {
namespace {

// Passes all on, and sees where the budget ends: no arm has anything left then. An arm takes over the runs that it is handed.
class WatchedJournal final : public RunJournal {
 public:
  explicit WatchedJournal(RunJournal& journal) : journal_(journal) {}
  base::Result<std::string> intend(const RunIntent& intent) override {
    auto id = journal_.intend(intent);
    spent_ = spent_ || (!id && id.error().code == "budget.reached");
    return id;
  }
  base::Result<void> end(const RunEnding& ending) override {
    ended_ = ending.outcome;
    return journal_.end(ending);
  }
  base::Result<std::size_t> choose(const std::vector<std::string>& arms) override { return journal_.choose(arms); }
  base::Result<void> keep(const RoundPlan& plan) override { return journal_.keep(plan); }
  base::Result<void> keep(const Summary& summary) override { return journal_.keep(summary); }
  [[nodiscard]] std::vector<EarlierRun> earlier() const override { return handed_; }
  [[nodiscard]] std::vector<EarlierRun> runs_of_round() const override { return journal_.runs_of_round(); }
  [[nodiscard]] std::vector<std::string> of_session(const std::string& session) const override {
    return journal_.of_session(session);
  }
  [[nodiscard]] std::chrono::nanoseconds allowed_wall(std::chrono::nanoseconds wanted) const override {
    return journal_.allowed_wall(wanted);
  }

  void hand(const EarlierRun& run) {
    handed_ = {run};
    ended_ = run.outcome;
  }
  /// Takes back what was handed; tells whether that run was one that the environment let be.
  bool take_back() {
    handed_.clear();
    return ended_ && !is_environment(*ended_) && *ended_ != RunOutcome::interrupted;
  }
  [[nodiscard]] bool spent() const { return spent_; }

 private:
  RunJournal& journal_;
  std::vector<EarlierRun> handed_;
  std::optional<RunOutcome> ended_;
  bool spent_ = false;
};

// Whose round is under way, and what came of it so far.
struct RoutedRound {
  std::vector<Proposer*> open;  // Arms whose environment has not failed.
  std::vector<Proposal> proposals;
  int runs = 0;
  std::optional<base::Error> failure;  // The last arm's that was left out.

  // Takes what an arm proposed. One whose environment failed is left out; any other error is returned.
  base::Result<void> take(Proposer* arm, base::Result<std::vector<Proposal>> proposed) {
    if (proposed) {
      std::move(proposed->begin(), proposed->end(), std::back_inserter(proposals));
      return {};
    }
    if (proposed.error().owner != base::Owner::environment) {
      return tl::unexpected(std::move(proposed.error()));
    }
    failure = std::move(proposed.error());
    open.erase(std::find(open.begin(), open.end(), arm));
    return {};
  }
};

// Each arm goes on with the runs that an earlier controller gave to it, in the order of the runs.
base::Result<void> take_over_runs(const std::vector<EarlierRun>& runs, const std::vector<Trial>& history,
                                  WatchedJournal& journal, RoutedRound& round) {
  for (const EarlierRun& run : runs) {
    const auto arm = std::find_if(round.open.begin(), round.open.end(),
                                  [&](const Proposer* one) { return one->name() == run.agent; });
    if (arm == round.open.end()) {
      continue;  // The next intent ends it.
    }
    journal.hand(run);
    ASSAY_TRY(round.take(*arm, (*arm)->propose(history, 0)));
    round.runs += journal.take_back() ? 1 : 0;
  }
  round.runs = std::max(round.runs, static_cast<int>(round.proposals.size()));
  return {};
}

}  // namespace

void RoutedProposer::attend(const Situation& situation, RunJournal& journal) {
  situation_ = situation;
  journal_ = &journal;
}

base::Result<std::vector<Proposal>> RoutedProposer::propose(const std::vector<Trial>& history, int count) {
  ASSAY_CHECK(journal_ != nullptr && situation_ && !arms_.empty());
  WatchedJournal journal(*journal_);
  RoutedRound round;
  for (const auto& arm : arms_) {
    arm->attend(*situation_, journal);
    round.open.push_back(arm.get());
  }
  ASSAY_TRY(take_over_runs(journal_->earlier(), history, journal, round));
  while (round.runs < count && !journal.spent() && !round.open.empty()) {
    std::vector<std::string> names;
    std::transform(round.open.begin(), round.open.end(), std::back_inserter(names),
                   [](const Proposer* arm) { return arm->name(); });
    ASSAY_TRY_ASSIGN(const std::size_t chosen, journal.choose(names));
    ASSAY_CHECK(chosen < round.open.size());
    const std::size_t arms = round.open.size();
    ASSAY_TRY(round.take(round.open[chosen], round.open[chosen]->propose(history, 1)));
    round.runs += round.open.size() == arms ? 1 : 0;
  }
  if (round.runs < count && round.open.empty() && round.proposals.empty()) {
    return tl::unexpected(std::move(*round.failure));
  }
  return std::move(round.proposals);
}

}  // namespace assay::agent
