#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <assay/control/campaign.hpp>
#include <assay/control/sample_campaign.hpp>

// What a campaign does after a promotion was taken back: it searches on.
namespace assay::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using testing::sample_configuration;
using testing::sample_solution;
using ::testing::SizeIs;

std::vector<int> confirmed_in_order(const CampaignState& state) {
  std::vector<int> order(state.confirmations.size());
  std::transform(state.confirmations.begin(), state.confirmations.end(), order.begin(),
                 [](const ConfirmationState& one) { return one.candidate; });
  return order;
}

CampaignConfiguration of_one_round(std::vector<task::Solution> supplied) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied = std::move(supplied);
  configuration.rounds = 0;
  configuration.policy.sweeps_per_round = 1;
  return configuration;
}

TEST(ResumedSearch, SweepsThoseWhomTheDemotedWinnerOutran) {
  Laboratory laboratory(
      of_one_round({sample_solution("decent", "d;\n// speed: 0.78\n"), sample_solution("slower", "s;\n// speed: 0.9\n"),
                    sample_solution("lucky", "l;\n// speed: 0.5\n// confirm speed: 1.1\n")}));
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.incumbent, 1) << "decent passed its gate against the baseline, which was back";
  EXPECT_THAT(confirmed_in_order(state), ElementsAre(3, 1));
  EXPECT_TRUE(state.confirmations.back().holds());
  EXPECT_TRUE(state.candidate(3).demotion);
  EXPECT_FALSE(state.candidate(1).outrun) << "not for good";
  ASSERT_TRUE(state.candidate(2).outrun);
  EXPECT_EQ(state.candidate(2).outrun->by, 1) << "outrun once more, by a winner that holds";
  EXPECT_THAT(must(laboratory.archive().verify()).problems, ::testing::IsEmpty());
}

TEST(ResumedSearch, GoesOnUntilNobodyIsLeft) {
  Laboratory laboratory(of_one_round({sample_solution("a", "a;\n// speed: 0.5\n// confirm: incorrect\n"),
                                      sample_solution("b", "b;\n// speed: 0.7\n// confirm: crashed\n"),
                                      sample_solution("c", "c;\n// speed: 0.9\n// confirm: incorrect\n")}));
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  EXPECT_THAT(confirmed_in_order(state), ElementsAre(1, 2, 3));
}

// Says by the number of its call what it proposes; nothing where nothing is said.
class Script final : public agent::Proposer {
 public:
  explicit Script(std::vector<std::vector<task::Solution>> rounds) : rounds_(std::move(rounds)) {}
  std::string name() const override { return "script"; }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& /*history*/,
                                                     int /*count*/) override {
    std::vector<agent::Proposal> proposals;
    if (calls < rounds_.size()) {
      for (const task::Solution& solution : rounds_[calls]) {
        proposals.push_back({solution, {}, std::nullopt});
      }
    }
    ++calls;
    return proposals;
  }

  std::size_t calls = 0;

 private:
  std::vector<std::vector<task::Solution>> rounds_;
};

CampaignState run_script(Script& script, int rounds) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = rounds;
  Laboratory laboratory(configuration);
  return must(run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), script, {}));
}

TEST(ResumedSearch, AsksAProposerAgainThatHadNothingLeftAgainstTheDemotedOne) {
  const task::Solution lucky = sample_solution("lucky", "l;\n// speed: 0.5\n// confirm speed: 1.1\n");
  const task::Solution sound = sample_solution("sound", "s;\n// speed: 0.8\n");
  Script script({{lucky}, {}, {sound}});
  const CampaignState state = run_script(script, 5);
  EXPECT_EQ(state.incumbent, 2);
  EXPECT_THAT(confirmed_in_order(state), ElementsAre(1, 2));
  EXPECT_EQ(state.candidate(2).round, 3);
  EXPECT_EQ(script.calls, 4U) << "the fourth round had nothing, and nobody was demoted after it";
}

TEST(ResumedSearch, AsksNobodyWhereNoRoundIsLeft) {
  Script script({{sample_solution("lucky", "l;\n// speed: 0.5\n// confirm: incorrect\n")}, {}});
  const CampaignState state = run_script(script, 2);
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  EXPECT_EQ(script.calls, 2U);
}

TEST(ResumedSearch, EndsThoughEachRoundsWinnerIsDemoted) {
  std::vector<std::vector<task::Solution>> rounds;
  for (int round = 0; round < 4; ++round) {
    rounds.push_back({sample_solution("s", "s" + std::to_string(round) + ";\n// speed: 0.5\n// confirm: incorrect\n")});
    rounds.emplace_back();  // So that each is confirmed before the next is proposed.
  }
  Script script(rounds);
  const CampaignState state = run_script(script, 8);
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  EXPECT_THAT(confirmed_in_order(state), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace assay::control
