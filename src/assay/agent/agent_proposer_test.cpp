// fake_agent proposes, as a plain program and in the roles of codex and claude.
#include <assay/agent/agent_proposer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/agent/kept_run.hpp>
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
    return "c-run-" + std::to_string(before.size() + intents.size());
  }
  base::Result<void> end(const RunEnding& ending) override {
    endings.push_back(ending);
    return {};
  }
  std::vector<EarlierRun> earlier() const override { return before; }
  std::vector<std::string> of_session(const std::string& session) const override {
    std::vector<std::string> ids;
    for (const RunEnding& ending : endings) {
      if (ending.session == session) {
        ids.push_back(ending.id);
      }
    }
    return ids;
  }

  int allowed = 100;
  std::vector<RunIntent> intents;
  std::vector<RunEnding> endings;
  std::vector<EarlierRun> before;  // Of a controller that was killed.
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
    settings.folders = records_->path() / "folders";
    AgentProposer proposer(settings, [&](const os::Path&) -> base::Result<AgentProgram> {
      AgentProgram program;
      program.name = "fake";
      program.dialect = dialect;
      program.argv = {ASSAY_BINARY_DIR "/bin/fake_agent", kShortPrompt};
      program.environment = {{"FAKE_AGENT", script}};
      const os::Path streams = os::Path(ASSAY_SOURCE_DIR) / "tests/data/agent_streams";
      program.binds = {{streams, streams, os::SandboxBind::Use::read}};
      if (!also_shown_.empty()) {
        program.binds.push_back({also_shown_, also_shown_, os::SandboxBind::Use::read});
      }
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
  os::Path also_shown_;
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
      propose("link candidate/x.hpp /etc/passwd\n" + replay(Dialect::codex, "simple"), Dialect::codex, 1);
  ASSERT_TRUE(proposals) << proposals.error().text();
  EXPECT_TRUE(proposals->empty());
  EXPECT_THAT(journal_.endings.at(0).cause, HasSubstr("no candidate is left: x.hpp cannot be read: is it a link?"));
  EXPECT_EQ(journal_.endings.at(0).spend.usage.tokens.input, 1200);
}

TEST_F(AgentProposerTest, WhatNoBuildTakesIsLeftOutOfTheProposalAndSaid) {
  const auto proposals =
      propose("write candidate/kernel.cpp new\nwrite candidate/notes.txt done\nlink candidate/x /etc/passwd\n" +
                  replay(Dialect::codex, "simple"),
              Dialect::codex, 1);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1U);
  ASSERT_EQ(proposals->front().solution.sources.size(), 1U);
  EXPECT_EQ(proposals->front().solution.sources[0].content, "new");
  EXPECT_THAT(journal_.endings.at(0).cause, HasSubstr("ignored, for no build takes it: notes.txt, x"));
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

// What an earlier controller left of a run: the folder, that it was begun, how it ended, the files, the stream.
enum class Left { nothing, folder, begun, ended };

class TakenOver : public AgentProposerTest {
 protected:
  void leave(const std::string& id, Left left, const std::string& source, const std::string& stream = "") {
    const KeptRun kept(records_->path() / "folders", id);
    if (left != Left::nothing) {
      ASSERT_TRUE(kept.create());
      ASSERT_TRUE(os::create_directories(kept.work() / "candidate"));
      ASSERT_TRUE(os::write_file_atomic(kept.work() / "candidate/kernel.cpp", source));
    }
    if (left == Left::begun || left == Left::ended) {
      ASSERT_TRUE(kept.begin());
      ASSERT_TRUE(os::create_directories(records_->path() / "runs"));
      ASSERT_TRUE(os::write_file_atomic(records_->path() / "runs" / (id + ".jsonl"), stream));
    }
    if (left == Left::ended) {
      ASSERT_TRUE(
          kept.keep({id, RunOutcome::finished, "done", "s-1", "m-1", {Certainty::exact, {{70, 0, 0, 7, 0}, 0.25}}}));
    }
  }
};

TEST_F(TakenOver, ARunThatEndedIsBookedAndProposedWithoutAnother) {
  leave("c-run-1", Left::ended, "paid for");
  journal_.before = {{"c-run-1", std::nullopt}};
  const auto proposals = propose("write candidate/kernel.cpp again", std::nullopt, 1);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1U);
  EXPECT_EQ(proposals->front().solution.name, "c-run-1");
  EXPECT_EQ(proposals->front().solution.sources.at(0).content, "paid for");
  EXPECT_TRUE(journal_.intents.empty()) << "no other run";
  ASSERT_EQ(journal_.endings.size(), 1U);
  EXPECT_EQ(journal_.endings[0].session, "s-1");
  EXPECT_EQ(journal_.endings[0].spend, (Spend{Certainty::exact, {{70, 0, 0, 7, 0}, 0.25}}));
}

TEST_F(TakenOver, ARunWhoseEndIsBookedIsProposedAndNotBookedTwice) {
  leave("c-run-1", Left::ended, "paid for");
  journal_.before = {{"c-run-1", RunOutcome::finished}};
  const auto proposals = propose("write candidate/kernel.cpp new", std::nullopt, 2);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 2U);
  EXPECT_EQ(proposals->at(0).solution.sources.at(0).content, "paid for");
  EXPECT_EQ(proposals->at(1).solution.sources.at(0).content, "new");
  EXPECT_EQ(journal_.intents.size(), 1U);
  EXPECT_EQ(journal_.endings.size(), 1U);
}

TEST_F(TakenOver, ARunThatWasNotBegunIsMadeUnderItsId) {
  for (const Left left : {Left::nothing, Left::folder}) {
    leave("c-run-7", left, "rubbish");
    journal_.before = {{"c-run-7", std::nullopt}};
    const auto proposals = propose("write candidate/kernel.cpp new", std::nullopt, 1);
    ASSERT_TRUE(proposals) << proposals.error().text();
    ASSERT_EQ(proposals->size(), 1U);
    EXPECT_EQ(proposals->front().solution.name, "c-run-7");
    EXPECT_EQ(proposals->front().solution.sources.at(0).content, "new");
    EXPECT_TRUE(journal_.intents.empty()) << "it is set aside already";
    EXPECT_EQ(journal_.endings.back().id, "c-run-7");
    ASSERT_TRUE(os::remove_tree(records_->path() / "runs"));
  }
}

// The account of a killed run is lost but for what it had told: its session, and what it had spent at least.
TEST_F(TakenOver, ARunThatWasCutOffIsBookedAsFarAsItIsKnownAndMadeAnew) {
  const std::string stream = testing::recorded(Dialect::claude, "bare");
  leave("c-run-1", Left::begun, "half", stream);
  journal_.before = {{"c-run-1", std::nullopt}};
  const auto proposals = propose("write candidate/kernel.cpp new", Dialect::claude, 1);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1U);
  EXPECT_EQ(proposals->front().solution.sources.at(0).content, "new");
  ASSERT_EQ(journal_.endings.size(), 2U);
  EXPECT_EQ(journal_.endings[0].outcome, RunOutcome::interrupted);
  EXPECT_EQ(journal_.endings[0].spend.certainty, Certainty::at_least);
  EXPECT_NEAR(*journal_.endings[0].spend.usage.dollars, 0.02031, 1e-12);
  EXPECT_FALSE(journal_.endings[0].session.empty());
  EXPECT_FALSE(journal_.endings[0].wall_known);
  EXPECT_EQ(journal_.intents.size(), 1U);
}

TEST_F(TakenOver, ARoundThatTheEnvironmentEndedStaysEnded) {
  leave("c-run-1", Left::ended, "paid for");
  leave("c-run-2", Left::ended, "refused");
  journal_.before = {{"c-run-1", RunOutcome::finished}, {"c-run-2", RunOutcome::quota}};
  const auto proposals = propose("write candidate/kernel.cpp new", std::nullopt, 3);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1U);
  EXPECT_TRUE(journal_.intents.empty());
}

TEST_F(TakenOver, AfterTheEnvironmentIsMendedTheRoundIsMade) {
  journal_.before = {{"c-run-1", RunOutcome::quota}};
  const auto proposals = propose("write candidate/kernel.cpp new", std::nullopt, 1);
  ASSERT_TRUE(proposals) << proposals.error().text();
  EXPECT_EQ(proposals->size(), 1U);
  EXPECT_EQ(journal_.intents.size(), 1U);
}

// Both programs tell totals of a session. Whoever goes on with one pays for what is new.
TEST_F(AgentProposerTest, ASessionThatGoesOnIsNotBookedTwice) {
  // The recorded thread again, twice as dear: what a resumed thread tells.
  const std::string first = testing::recorded(Dialect::codex, "simple");
  std::string second = first;
  const auto twice = [&](const std::string& key, int from) {
    const std::string old = "\"" + key + "\":" + std::to_string(from);
    const std::size_t at = second.rfind(old);
    ASSERT_NE(at, std::string::npos) << old;
    second.replace(at, old.size(), "\"" + key + "\":" + std::to_string(2 * from));
  };
  twice("input_tokens", 1200);
  twice("cached_input_tokens", 800);
  twice("output_tokens", 150);
  twice("reasoning_output_tokens", 64);
  ASSERT_TRUE(os::write_file_atomic(records_->path() / "second.jsonl", second));
  ASSERT_TRUE(propose(replay(Dialect::codex, "simple"), Dialect::codex, 1));
  const auto shown = records_->path() / "second.jsonl";
  also_shown_ = shown;
  ASSERT_TRUE(propose("replay " + shown.string() + "\n", Dialect::codex, 1));
  ASSERT_EQ(journal_.endings.size(), 2U);
  EXPECT_EQ(journal_.endings[0].spend.usage.tokens.input, 1200);
  EXPECT_EQ(journal_.endings[1].spend.usage.tokens.input, 1200);
  EXPECT_EQ(journal_.endings[1].spend.usage.tokens.output, 150);
  // One that tells less than before is no total of that session: nobody knows.
  ASSERT_TRUE(propose(replay(Dialect::codex, "simple"), Dialect::codex, 1));
  EXPECT_EQ(journal_.endings[2].spend.certainty, Certainty::unknown);
}

TEST_F(AgentProposerTest, FoldersOfEarlierRoundsAreRemoved) {
  ASSERT_TRUE(propose("exit 0", std::nullopt, 2));
  const os::Path folders = records_->path() / "folders";
  EXPECT_EQ(os::list_directory(folders).value(), (std::vector<std::string>{"c-run-1", "c-run-2"}));
  ASSERT_TRUE(propose("exit 0", std::nullopt, 1));
  EXPECT_EQ(os::list_directory(folders).value(), (std::vector<std::string>{"c-run-3"}));
}

}  // namespace
}  // namespace assay::agent
