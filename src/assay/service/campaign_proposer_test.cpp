#include <assay/service/campaign_proposer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/agent/prompt.hpp>
#include <assay/agent/run_journal.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;

class NoRuns final : public agent::RunJournal {
 public:
  [[nodiscard]] base::Result<std::string> intend(const agent::RunIntent& /*intent*/) override {
    return base::input_error("budget.reached", "nothing is left");
  }
  [[nodiscard]] base::Result<void> end(const agent::RunEnding& /*ending*/) override { return {}; }
};

class CampaignProposerTest : public testing::Test {
 protected:
  CampaignProposerTest() {
    configuration_.name = "night";
    configuration_.agent.emplace();
    configuration_.agent->word = "http:http://127.0.0.1:1/v1";
    configuration_.agent->model = "first";
  }
  rehearsal::World world_;
  control::CampaignConfiguration configuration_;
  control::CampaignState state_;
};

// A model without a name is refused when an agent is made for it: so it can be seen when one is.
TEST_F(CampaignProposerTest, AModelThatAPersonChoosesMeanwhileProposesNext) {
  auto proposer = CampaignProposer::create(world_.context(), configuration_, state_);
  ASSERT_TRUE(proposer) << proposer.error().text();
  NoRuns journal;
  (*proposer)->attend(agent::Situation(), journal);  // It is gone afterwards, as the controller's is.
  EXPECT_TRUE((*proposer)->propose({}, 1)) << "the budget refuses its run, and nothing is asked";
  state_.supervision.model = "";
  (*proposer)->follow(state_);
  const auto refused = (*proposer)->propose({}, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "agent.model");
  state_.supervision.model = "second";
  (*proposer)->follow(state_);
  EXPECT_TRUE((*proposer)->propose({}, 1));
  EXPECT_TRUE((*proposer)->conclude({}));
}

TEST_F(CampaignProposerTest, AResumedCampaignBeginsWithTheChosenModel) {
  state_.supervision.model = "";
  const auto proposer = CampaignProposer::create(world_.context(), configuration_, state_);
  ASSERT_FALSE(proposer);
  EXPECT_EQ(proposer.error().code, "agent.model");
}

TEST_F(CampaignProposerTest, WithoutAnAgentOrATunableNobodyProposes) {
  configuration_.agent.reset();
  const auto proposer = CampaignProposer::create(world_.context(), configuration_, state_);
  ASSERT_TRUE(proposer) << proposer.error().text();
  EXPECT_EQ((*proposer)->name(), "none");
}

}  // namespace
}  // namespace assay::service
