#include <assay/service/conversing_proposer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <assay/agent/prompt.hpp>
#include <assay/os/file.hpp>

namespace assay::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

agent::Proposal saying(const std::string& name, const std::string& content) {
  agent::Proposal proposal;
  proposal.solution.name = name;
  proposal.solution.definition = "scale";
  proposal.solution.spec.entry_point = "kernel.cpp::run";
  proposal.solution.sources = {{"kernel.cpp", content}};
  return proposal;
}

agent::Trial known(const agent::Proposal& proposal) {
  agent::Trial trial;
  trial.solution = proposal.solution;
  return trial;
}

// An agent whose run is what the test says.
class ScriptedAgent final : public agent::Proposer {
 public:
  using Run = std::function<std::vector<agent::Proposal>(agent::RunJournal& journal)>;
  explicit ScriptedAgent(std::vector<Run> runs) : runs_(std::move(runs)) {}
  [[nodiscard]] std::string name() const override { return "scripted"; }
  void attend(const agent::Situation& /*situation*/, agent::RunJournal& journal) override { journal_ = &journal; }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& /*history*/,
                                                                   int /*count*/) override {
    if (next_ == runs_.size()) {
      return std::vector<agent::Proposal>();
    }
    return runs_[next_++](*journal_);
  }

 private:
  std::vector<Run> runs_;
  std::size_t next_ = 0;
  agent::RunJournal* journal_ = nullptr;
};

class WrittenDown final : public agent::RunJournal {
 public:
  [[nodiscard]] base::Result<std::string> intend(const agent::RunIntent& intent) override {
    EXPECT_EQ(std::this_thread::get_id(), campaign) << "the archive is one thread's";
    entries.push_back("intend " + intent.agent);
    if (on_event) {
      on_event();
    }
    return std::string("night-run-1");
  }
  [[nodiscard]] base::Result<void> end(const agent::RunEnding& ending) override {
    EXPECT_EQ(std::this_thread::get_id(), campaign);
    entries.push_back("end " + ending.id);
    return {};
  }
  [[nodiscard]] std::vector<agent::EarlierRun> earlier() const override {
    EXPECT_EQ(std::this_thread::get_id(), campaign);
    return {{"night-run-0", std::nullopt, "scripted"}};
  }
  [[nodiscard]] std::vector<std::string> of_session(const std::string& session) const override {
    EXPECT_EQ(std::this_thread::get_id(), campaign);
    return {"of " + session};
  }
  [[nodiscard]] std::chrono::nanoseconds allowed_wall(std::chrono::nanoseconds wanted) const override {
    EXPECT_EQ(std::this_thread::get_id(), campaign);
    return wanted / 2;
  }
  std::vector<std::string> entries;
  std::function<void()> on_event;
  std::thread::id campaign = std::this_thread::get_id();
};

class ConversingProposerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = os::TemporaryDirectory::create(testing::TempDir(), "conversing-");
    ASSERT_TRUE(made) << made.error().text();
    folder_.emplace(std::move(*made));
  }
  void begin(std::vector<ScriptedAgent::Run> runs) {
    ConversingProposer::Ways ways;
    ways.agent = std::make_unique<ScriptedAgent>(std::move(runs));
    ways.stop = [this] { ++stopped_; };
    ways.last_round = [this] { return last_round_; };
    proposer_ = std::make_unique<ConversingProposer>(SubmissionStore(folder_->path(), "night"),
                                                     saying("plain", "plain").solution, std::move(ways));
  }
  // As the campaign's thread does it; what comes back is in the history afterwards.
  std::vector<agent::Proposal> propose() {
    proposer_->attend(situation_, journal_);
    auto proposals = proposer_->propose(history_, 1);
    EXPECT_TRUE(proposals) << proposals.error().text();
    for (const agent::Proposal& proposal : *proposals) {
      history_.push_back(known(proposal));
    }
    return *proposals;
  }
  void submit(const std::string& content) {
    EXPECT_TRUE(proposer_->submit({"", "codex", {{"kernel.cpp", content}}, {}}));
  }
  // Waits in the run's thread until the campaign has taken so many candidates.
  void until_judged(std::size_t count) {
    while (judged_ < count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::optional<os::TemporaryDirectory> folder_;
  agent::Situation situation_;
  WrittenDown journal_;
  std::vector<agent::Trial> history_;
  std::atomic<std::size_t> judged_ = 0;
  std::atomic<int> stopped_ = 0;
  bool last_round_ = false;
  std::unique_ptr<ConversingProposer> proposer_;
};

TEST_F(ConversingProposerTest, EachSubmissionIsARoundAndTheRunGoesOn) {
  begin({[&](agent::RunJournal& journal) {
    EXPECT_TRUE(journal.intend({"scripted", {}, {}}));
    submit("one");
    until_judged(1);  // It hears of the first before it sends the second.
    submit("two");
    until_judged(2);
    EXPECT_TRUE(journal.end({"night-run-1", agent::RunOutcome::finished, "", "", "", {}, {}}));
    return std::vector{saying("night-run-1", "left")};
  }});
  EXPECT_THAT(propose()[0].solution.name, "night-job-1");
  EXPECT_TRUE(proposer_->is_running());
  EXPECT_FALSE(proposer_->work().after_run);
  judged_ = 1;
  EXPECT_THAT(propose()[0].solution.sources[0].content, "two");
  judged_ = 2;
  EXPECT_THAT(propose()[0].solution.name, "night-run-1");
  EXPECT_FALSE(proposer_->is_running());
  EXPECT_THAT(journal_.entries, ElementsAre("intend scripted", "end night-run-1"));
  EXPECT_THAT(propose(), IsEmpty()) << "the next run has nothing left";
  EXPECT_GE(proposer_->work().steps, 2);
}

TEST_F(ConversingProposerTest, WhatWasSubmittedAndLeftIsOneCandidateAndAnotherRunFollows) {
  begin({[&](agent::RunJournal&) {
           submit("same");
           return std::vector{saying("night-run-1", "same")};
         },
         [&](agent::RunJournal&) { return std::vector{saying("night-run-2", "other")}; }});
  EXPECT_THAT(propose()[0].solution.name, "night-job-1");
  EXPECT_THAT(propose()[0].solution.name, "night-run-2");
}

TEST_F(ConversingProposerTest, WhoFollowsAnEventMayTellHowTheCampaignStands) {
  journal_.on_event = [&] { proposer_->note(1, 2); };
  begin({[&](agent::RunJournal& journal) {
    EXPECT_TRUE(journal.intend({"scripted", {}, {}}));
    return std::vector{saying("night-run-1", "left")};
  }});
  EXPECT_THAT(propose(), SizeIs(1));
  EXPECT_EQ(proposer_->work().total, 2);
}

// Budgets, sessions and runs that were cut off are the same questions for an agent with tools.
TEST_F(ConversingProposerTest, TheAgentKnowsOfItsJournalWhatEveryAgentDoes) {
  begin({[&](agent::RunJournal& journal) {
    EXPECT_EQ(journal.earlier().at(0).id, "night-run-0");
    EXPECT_EQ(journal.runs_of_round().at(0).id, "night-run-0");
    EXPECT_THAT(journal.of_session("s"), ElementsAre("of s"));
    EXPECT_EQ(journal.allowed_wall(std::chrono::seconds(10)), std::chrono::seconds(5));
    return std::vector{saying("night-run-1", "left")};
  }});
  EXPECT_TRUE(proposer_->is_running()) << "what was left open is not abandoned before the agent has looked at it";
  EXPECT_THAT(propose(), SizeIs(1));
  EXPECT_FALSE(proposer_->is_running());
}

TEST_F(ConversingProposerTest, InTheLastRoundTheRunEndsFirst) {
  last_round_ = true;
  std::atomic<bool> ended = false;
  begin({[&](agent::RunJournal& journal) {
    EXPECT_TRUE(journal.intend({"scripted", {}, {}}));
    submit("one");
    EXPECT_TRUE(proposer_->work().after_run) << "so that nobody waits for it";
    EXPECT_TRUE(journal.end({"night-run-1", agent::RunOutcome::finished, "", "", "", {}, {}}));
    ended = true;
    return std::vector<agent::Proposal>();
  }});
  EXPECT_THAT(propose(), SizeIs(1));
  EXPECT_TRUE(ended);
  EXPECT_THAT(journal_.entries, SizeIs(2)) << "its account is in the journal before the campaign ends";
}

TEST_F(ConversingProposerTest, ARunThatGoesOnIsEndedWithTheCampaign) {
  begin({[&](agent::RunJournal& journal) {
    submit("one");
    while (stopped_ == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(journal.end({"night-run-1", agent::RunOutcome::interrupted, "", "", "", {}, {}}).error().code,
              "agent.stopped");
    return std::vector<agent::Proposal>();
  }});
  EXPECT_THAT(propose(), SizeIs(1));
  proposer_.reset();
  EXPECT_EQ(stopped_, 1);
  EXPECT_THAT(journal_.entries, IsEmpty());
}

}  // namespace
}  // namespace assay::service
