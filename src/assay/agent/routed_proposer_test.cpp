#include <assay/agent/routed_proposer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Chooses by a list, and holds as many runs as it is told.
class ListedJournal final : public RunJournal {
 public:
  base::Result<std::string> intend(const RunIntent& intent) override {
    if (runs == 0) {
      return base::input_error("budget.reached", "nothing is left");
    }
    --runs;
    asked.push_back(intent.agent);
    return "run-" + std::to_string(asked.size());
  }
  base::Result<void> end(const RunEnding& /*ending*/) override { return {}; }
  std::vector<EarlierRun> earlier() const override { return before; }
  base::Result<std::size_t> choose(const std::vector<std::string>& arms) override {
    offered.push_back(arms);
    const std::size_t next = choices.empty() ? 0 : choices.front();
    if (!choices.empty()) {
      choices.erase(choices.begin());
    }
    return next;
  }

  int runs = 100;
  std::vector<std::size_t> choices;
  std::vector<std::string> asked;
  std::vector<std::vector<std::string>> offered;
  std::vector<EarlierRun> before;  // Of a controller that was killed.
};

class Arm final : public Proposer {
 public:
  Arm(std::string name, std::optional<base::Owner> fails) : name_(std::move(name)), fails_(fails) {}
  [[nodiscard]] std::string name() const override { return name_; }
  void attend(const Situation& /*situation*/, RunJournal& journal) override { journal_ = &journal; }
  base::Result<std::vector<Proposal>> propose(const std::vector<Trial>& /*history*/, int count) override {
    std::vector<Proposal> taken;
    for (const EarlierRun& run : journal_->earlier()) {
      EXPECT_EQ(run.agent, name_);
      RunEnding end;
      end.id = run.id;
      end.outcome = ending;
      EXPECT_TRUE(journal_->end(end));
      taken.emplace_back().solution.name = run.id + " taken over by " + name_;
    }
    EXPECT_EQ(count, taken.empty() ? 1 : 0);
    if (count == 0) {
      return ending == RunOutcome::finished ? taken : std::vector<Proposal>();
    }
    const auto id = journal_->intend({name_, {}, {}});
    if (!id) {
      return std::vector<Proposal>();
    }
    if (fails_ == base::Owner::environment) {
      return base::environment_error("agent.quota", name_ + " has no credit");
    }
    if (fails_) {
      return base::input_error("agent.other", name_ + " is not there");
    }
    Proposal proposal;
    proposal.solution.name = *id + " of " + name_;
    return std::vector{proposal};
  }

  RunOutcome ending = RunOutcome::finished;  // Of what it takes over.

 private:
  std::string name_;
  std::optional<base::Owner> fails_;
  RunJournal* journal_ = nullptr;
};

base::Result<std::vector<Proposal>> propose_routed(ListedJournal& journal, int count,
                                                   std::optional<base::Owner> first = std::nullopt,
                                                   std::optional<base::Owner> second = std::nullopt) {
  std::vector<std::unique_ptr<Proposer>> arms;
  arms.push_back(std::make_unique<Arm>("a", first));
  arms.push_back(std::make_unique<Arm>("b", second));
  RoutedProposer proposer(std::move(arms));
  proposer.attend({}, journal);
  return proposer.propose({}, count);
}

TEST(RoutedProposer, TheJournalChoosesEachRun) {
  ListedJournal journal;
  journal.choices = {1, 0, 1};
  ASSERT_THAT(propose_routed(journal, 3).value(), SizeIs(3));
  EXPECT_THAT(journal.asked, ElementsAre("b", "a", "b"));
  EXPECT_THAT(journal.offered[0], ElementsAre("a", "b"));
}

TEST(RoutedProposer, AnArmWithoutItsServiceIsLeftOut) {
  ListedJournal journal;
  const auto proposals = propose_routed(journal, 2, base::Owner::environment);
  ASSERT_TRUE(proposals);
  EXPECT_THAT(*proposals, SizeIs(2));
  EXPECT_THAT(journal.asked, ElementsAre("a", "b", "b"));
  EXPECT_THAT(journal.offered.back(), ElementsAre("b"));
}

TEST(RoutedProposer, WhereAllFailTheLastFailureIsTold) {
  ListedJournal journal;
  const auto proposals = propose_routed(journal, 2, base::Owner::environment, base::Owner::environment);
  ASSERT_FALSE(proposals);
  EXPECT_EQ(proposals.error().message, "b has no credit");
}

TEST(RoutedProposer, WhatIsNotTheEnvironmentsIsNotPassedOver) {
  ListedJournal journal;
  EXPECT_EQ(propose_routed(journal, 2, base::Owner::input).error().code, "agent.other");
  EXPECT_THAT(journal.asked, ElementsAre("a"));
}

TEST(RoutedProposer, WithoutBudgetNobodyElseIsAsked) {
  ListedJournal journal;
  journal.runs = 1;
  EXPECT_THAT(propose_routed(journal, 5).value(), SizeIs(1));
  EXPECT_THAT(journal.offered, SizeIs(2)) << "the second time the budget says no, and that is the end";
}

std::vector<std::string> taken_over(ListedJournal& journal, int count, RunOutcome ending) {
  std::vector<std::unique_ptr<Proposer>> arms;
  for (const char* name : {"a", "b"}) {
    auto arm = std::make_unique<Arm>(name, std::nullopt);
    arm->ending = ending;
    arms.push_back(std::move(arm));
  }
  RoutedProposer proposer(std::move(arms));
  proposer.attend({}, journal);
  std::vector<std::string> names;
  const std::vector<Proposal> proposals = proposer.propose({}, count).value();
  for (const Proposal& proposal : proposals) {
    names.push_back(proposal.solution.name);
  }
  return names;
}

TEST(RoutedProposer, EachArmGoesOnOnceWithItsRunsOfAControllerThatWasKilled) {
  ListedJournal journal;
  journal.before = {{"r-1", RunOutcome::finished, "b"}, {"r-2", std::nullopt, "a"}, {"r-3", std::nullopt, "gone"}};
  journal.choices = {1};
  EXPECT_THAT(taken_over(journal, 3, RunOutcome::finished),
              ElementsAre("r-1 taken over by b", "r-2 taken over by a", "run-1 of b"));
  EXPECT_THAT(journal.offered, SizeIs(1)) << "two of the three runs were made";
}

TEST(RoutedProposer, ARunThatWasCutOffIsGivenAnew) {
  ListedJournal journal;
  journal.before = {{"r-1", std::nullopt, "b"}};
  EXPECT_THAT(taken_over(journal, 2, RunOutcome::interrupted), ElementsAre("run-1 of a", "run-2 of a"));
}

}  // namespace
}  // namespace assay::agent
