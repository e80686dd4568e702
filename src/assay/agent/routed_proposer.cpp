#include <assay/agent/routed_proposer.hpp>

#include <algorithm>
#include <iterator>

namespace assay::agent {
namespace {

// Passes all on, and sees where the budget ends: no arm has anything left then.
class WatchedJournal final : public RunJournal {
 public:
  explicit WatchedJournal(RunJournal& journal) : journal_(journal) {}
  base::Result<std::string> intend(const RunIntent& intent) override {
    auto id = journal_.intend(intent);
    spent_ = spent_ || (!id && id.error().code == "budget.reached");
    return id;
  }
  base::Result<void> end(const RunEnding& ending) override { return journal_.end(ending); }
  base::Result<std::size_t> choose(const std::vector<std::string>& arms) override { return journal_.choose(arms); }
  [[nodiscard]] bool spent() const { return spent_; }

 private:
  RunJournal& journal_;
  bool spent_ = false;
};

}  // namespace

void RoutedProposer::attend(const Situation& situation, RunJournal& journal) {
  situation_ = situation;
  journal_ = &journal;
}

base::Result<std::vector<Proposal>> RoutedProposer::propose(const std::vector<Trial>& history, int count) {
  ASSAY_CHECK(journal_ != nullptr && situation_ && !arms_.empty());
  WatchedJournal journal(*journal_);
  std::vector<Proposer*> open;
  for (const auto& arm : arms_) {
    arm->attend(*situation_, journal);
    open.push_back(arm.get());
  }
  std::vector<Proposal> proposals;
  for (int run = 0; run < count && !journal.spent();) {
    std::vector<std::string> names;
    std::transform(open.begin(), open.end(), std::back_inserter(names),
                   [](const Proposer* arm) { return arm->name(); });
    ASSAY_TRY_ASSIGN(const std::size_t chosen, journal.choose(names));
    ASSAY_CHECK(chosen < open.size());
    auto proposed = open[chosen]->propose(history, 1);
    if (proposed) {
      std::move(proposed->begin(), proposed->end(), std::back_inserter(proposals));
      ++run;
      continue;
    }
    if (proposed.error().owner != base::Owner::environment) {
      return proposed;
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (open.empty()) {
      return proposals.empty() ? std::move(proposed) : base::Result<std::vector<Proposal>>(std::move(proposals));
    }
  }
  return proposals;
}

}  // namespace assay::agent
