#include <assay/control/lineage.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using testing::Laboratory;
using testing::must;

class LineageTest : public ::testing::Test {
 protected:
  LineageTest() : laboratory_(testing::sample_configuration()) { must(laboratory_.run()); }

  base::Result<agent::Trial> trial_of(const CandidateState& candidate, const CampaignConfiguration& configuration) {
    agent::Trial trial;
    ASSAY_TRY(add_lineage(laboratory_.archive(), configuration, laboratory_.state(), candidate, trial));
    return trial;
  }

  Laboratory laboratory_;
};

TEST_F(LineageTest, IsRoundParentAndIntervals) {
  const CampaignConfiguration configuration = testing::sample_configuration();
  const CampaignState state = laboratory_.state();
  int against_a_candidate = 0;
  for (const CandidateState& candidate : state.candidates) {
    const agent::Trial trial = must(trial_of(candidate, configuration));
    EXPECT_EQ(trial.round, candidate.round);
    EXPECT_EQ(trial.parent, candidate.parent);
    EXPECT_EQ(trial.at_gate.has_value(), candidate.gate_log_ratio.has_value());
    EXPECT_EQ(trial.to_baseline.has_value(), candidate.log_ratio_to_baseline.has_value());
    if (trial.to_baseline) {
      EXPECT_LE(trial.to_baseline->lower, trial.to_baseline->mean);
      EXPECT_GE(trial.to_baseline->upper, trial.to_baseline->mean);
    }
    if (trial.gated_against > 0) {
      ++against_a_candidate;
      const CandidateState& incumbent = state.candidate(trial.gated_against);
      EXPECT_NEAR(trial.at_gate->mean + *incumbent.log_ratio_to_baseline, trial.to_baseline->mean, 1e-12);
    }
  }
  EXPECT_GT(against_a_candidate, 0) << "there was an incumbent to be held against";
}

TEST_F(LineageTest, AnEvaluationThatIsMissedIsTheArchivesFault) {
  CampaignConfiguration configuration = testing::sample_configuration();
  CandidateState candidate;
  candidate.gate_evaluation = "no-such";
  candidate.gate_log_ratio = LogRatio{};
  EXPECT_TRUE(trial_of(candidate, configuration)) << "nobody asks for it";
  configuration.agent.emplace().full_agent.emplace();
  const auto trial = trial_of(candidate, configuration);
  ASSERT_FALSE(trial);
  EXPECT_EQ(trial.error().code, "archive.damaged");
}

}  // namespace
}  // namespace assay::control
