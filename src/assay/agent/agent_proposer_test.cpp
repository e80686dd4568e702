// fake_agent proposes, as a plain program and in the roles of codex and claude.
#include <assay/agent/agent_proposer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/agent/test_streams.hpp>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;
using testing::stream_path;

class KeptJournal final : public RunJournal {
 public:
  base::Result<std::string> intend(const RunIntent& intent) override {
    if (static_cast<int>(intents.size()) == allowed) {
      return base::input_error("budget.reached", "nothing is left");
    }
    intents.push_back(intent);
    return "c-run-" + std::to_string(intents.size());
  }
  base::Result<void> end(const RunEnding& ending) override {
    endings.push_back(ending);
    return {};
  }

  int allowed = 100;
  std::vector<RunIntent> intents;
  std::vector<RunEnding> endings;
};

class AgentProposerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    records_.emplace(os::TemporaryDirectory::create(::testing::TempDir(), "assay-records-").value());
  }

  base::Result<std::vector<Proposal>> propose(const std::string& script, std::optional<Dialect> dialect, int count,
                                              const std::vector<Trial>& history = {}) {
    AgentSettings settings;
    settings.choice.word = dialect ? std::string(to_string(*dialect)) : "command:fake_agent";
    settings.most.dollars = 0.5;
    settings.origin.name = "plain";
    settings.origin.spec.entry_point = "kernel.cpp::run";
    settings.origin.sources = {{"kernel.cpp", "old"}};
    settings.records = records_->path() / "runs";
    AgentProposer proposer(settings, [&](const os::Path&) -> base::Result<AgentProgram> {
      AgentProgram program;
      program.name = "fake";
      program.dialect = dialect;
      program.argv = {ASSAY_BINARY_DIR "/bin/fake_agent", kShortPrompt};
      program.environment = {{"FAKE_AGENT", script}};
      const os::Path streams = os::Path(ASSAY_SOURCE_DIR) / "tests/data/agent_streams";
      program.binds = {{streams, streams, os::SandboxBind::Use::read}};
      return program;
    });
    Situation situation;
    situation.definition.name = "scale";
    proposer.attend(situation, journal_);
    return proposer.propose(history, count);
  }

  static std::string replay(Dialect dialect, const std::string& name) {
    return "replay " + stream_path(dialect, name).string() + "\n";
  }

  std::optional<os::TemporaryDirectory> records_;
  KeptJournal journal_;
};

TEST_F(AgentProposerTest, WhatARunLeavesIsAProposal) {
  const auto proposals = propose(
      "write candidate/kernel.cpp new\nwrite candidate/more.hpp x\nwrite hypothesis.json {\"change\":\"wider\"}\n" +
          replay(Dialect::claude, "bare"),
      Dialect::claude, 2);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 2U);
  const Proposal& first = proposals->front();
  EXPECT_EQ(first.solution.name, "c-run-1");
  EXPECT_EQ(first.solution.author, "claude");
  ASSERT_EQ(first.solution.sources.size(), 2U);
  EXPECT_EQ(first.solution.sources[0].content, "new");
  EXPECT_EQ(first.hypothesis.change, "wider");
  EXPECT_FALSE(first.parent);
  ASSERT_EQ(journal_.endings.size(), 2U);
  EXPECT_EQ(journal_.endings[0].outcome, RunOutcome::finished);
  EXPECT_NEAR(*journal_.endings[0].spend.usage.dollars, 0.02031, 1e-12);
  EXPECT_EQ(journal_.intents[0].most.dollars, 0.5);
  EXPECT_EQ(os::read_file(records_->path() / "runs" / "c-run-1.jsonl").value(),
            testing::recorded(Dialect::claude, "bare"));
}

TEST_F(AgentProposerTest, BeginsWithTheFastestCorrectCandidate) {
  std::vector<Trial> history(3);
  for (int i = 0; i < 3; ++i) {
    Trial& trial = history[static_cast<std::size_t>(i)];
    trial.number = i + 1;
    trial.solution.name = "t" + std::to_string(i + 1);
    trial.solution.spec.entry_point = "kernel.cpp::run";
    trial.solution.sources = {{"kernel.cpp", "source of " + trial.solution.name}};
    trial.log_ratio_to_baseline = -0.1 * (i + 1);
    trial.outcome = i == 2 ? task::Outcome::incorrect : task::Outcome::better;
  }
  ASSERT_EQ(fastest_trial(history), &history[1]);
  const auto proposals = propose("exit 0", std::nullopt, 1, history);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1U);
  EXPECT_EQ(proposals->front().parent, 2);
  EXPECT_EQ(proposals->front().solution.sources.at(0).content, "source of t2");
}

TEST(StartingTrial, IsWhomAPersonWantsIfThatIsCorrect) {
  std::vector<Trial> history(3);
  for (int i = 0; i < 3; ++i) {
    history[static_cast<std::size_t>(i)].number = i + 1;
    history[static_cast<std::size_t>(i)].outcome = task::Outcome::not_better;
    history[static_cast<std::size_t>(i)].log_ratio_to_baseline = i == 2 ? -0.5 : 0.1;
  }
  history[0].outcome = task::Outcome::crashed;
  EXPECT_EQ(starting_trial(history, std::nullopt), &history[2]);
  EXPECT_EQ(starting_trial(history, 2), &history[1]);
  EXPECT_EQ(starting_trial(history, 1), &history[2]) << "nothing starts from what crashed";
  EXPECT_EQ(starting_trial(history, 9), &history[2]);
  EXPECT_EQ(starting_trial({}, 1), nullptr);
}

TEST_F(AgentProposerTest, ARunThatLeavesNoEntryFileIsNoProposalAndIsPaid) {
  const auto proposals =
      propose("link candidate/x /etc/passwd\n" + replay(Dialect::codex, "simple"), Dialect::codex, 1);
  ASSERT_TRUE(proposals) << proposals.error().text();
  EXPECT_TRUE(proposals->empty());
  EXPECT_EQ(journal_.endings.at(0).spend.usage.tokens.input, 1200);
}

// Its words say that it is done; what lies in the folder decides. And a run that failed may have left something good.
TEST_F(AgentProposerTest, AFailedRunsFilesCountAndItsWordsDoNot) {
  const auto proposals =
      propose("write candidate/kernel.cpp half\n" + replay(Dialect::claude, "maxturns") + "exit 1", Dialect::claude, 1);
  ASSERT_TRUE(proposals);
  ASSERT_EQ(proposals->size(), 1U);
  EXPECT_EQ(proposals->front().solution.sources.at(0).content, "half");
  EXPECT_EQ(journal_.endings.at(0).outcome, RunOutcome::limit_reached);
}

TEST_F(AgentProposerTest, TheEnvironmentsFailureIsAnErrorWithARemedy) {
  const auto proposals = propose(replay(Dialect::codex, "err_quota") + "exit 1", Dialect::codex, 3);
  ASSERT_FALSE(proposals);
  EXPECT_EQ(proposals.error().owner, base::Owner::environment);
  EXPECT_EQ(proposals.error().code, "agent.quota");
  EXPECT_THAT(proposals.error().message, HasSubstr("add credit"));
  EXPECT_EQ(journal_.endings.size(), 1U);
  EXPECT_EQ(journal_.endings[0].spend.certainty, Certainty::unknown);
}

TEST_F(AgentProposerTest, WithoutBudgetNothingIsRun) {
  journal_.allowed = 1;
  const auto proposals = propose("exit 0", std::nullopt, 5);
  ASSERT_TRUE(proposals);
  EXPECT_EQ(proposals->size(), 1U);
  EXPECT_EQ(journal_.endings.size(), 1U);
}

}  // namespace
}  // namespace assay::agent
