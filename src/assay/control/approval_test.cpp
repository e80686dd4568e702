#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <assay/control/campaign.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using ::testing::SizeIs;

CampaignConfiguration by_person() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.policy.approval = promote::Approval::person;
  configuration.rounds = 1;
  configuration.supplied = {testing::sample_solution("a", "a\n// speed: 0.9\n")};
  return configuration;
}

TEST(Approval, OfAPersonIsWaitedFor) {
  Laboratory laboratory(by_person());
  CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::awaiting_approval);
  EXPECT_EQ(state.awaiting, 1);
  EXPECT_FALSE(state.incumbent);
  // Running it again does not answer for the person.
  const auto before = laboratory.journal();
  laboratory.reopen();
  EXPECT_EQ(must(laboratory.run()).phase, Phase::awaiting_approval);
  EXPECT_EQ(laboratory.journal(), before);

  must(approve(laboratory.archive(), "scale-search", true, "Ada", "the interval is narrow"));
  state = laboratory.state();
  EXPECT_EQ(state.phase, Phase::searching);
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_TRUE(state.candidate(1).promoted);
  EXPECT_EQ(state.candidate(1).answered_by, "Ada");
  EXPECT_EQ(state.candidate(1).answer, "the interval is narrow");

  // The search goes on against the new incumbent, up to the next winner.
  state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::awaiting_approval);
  EXPECT_GT(*state.awaiting, 1);
  const auto& requests = laboratory.evaluator().requests;
  EXPECT_EQ(requests.back().incumbent->name, "a");
}

TEST(Approval, ByANameThatReadsLikeAPolicyIsRefused) {
  Laboratory laboratory(by_person());
  must(laboratory.run());
  for (const char* name : {"policy quick", "  policy standard"}) {
    const auto refused = approve(laboratory.archive(), "scale-search", true, name, "");
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "approve.who");
    EXPECT_THAT(refused.error().message, HasSubstr("reads like a policy"));
  }
  EXPECT_EQ(laboratory.state().phase, Phase::awaiting_approval);
  must(approve(laboratory.archive(), "scale-search", true, "Polly", "policyholders may"));
}

TEST(Approval, RefusedKeepsTheIncumbentAndGoesOn) {
  CampaignConfiguration configuration = by_person();
  configuration.rounds = 0;
  Laboratory laboratory(configuration);
  must(laboratory.run());
  must(approve(laboratory.archive(), "scale-search", false, "Ada", "too clever to maintain"));
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  EXPECT_FALSE(state.candidate(1).promoted);
  EXPECT_EQ(state.candidate(1).outcome, task::Outcome::better);
  EXPECT_EQ(state.candidate(1).answered_by, "Ada");
  EXPECT_EQ(state.candidate(1).answer, "too clever to maintain");
}

TEST(Approval, TakesAPersonsTimeWhichIsPartOfThePromotionsCost) {
  Laboratory laboratory(by_person());
  must(laboratory.run());
  must(approve(laboratory.archive(), "scale-search", true, "Ada", "read it", 240));
  CampaignState state = laboratory.state();
  EXPECT_EQ(state.ledger.spent()[Resource::human_seconds], 240);
  ASSERT_THAT(state.promotion_costs, SizeIs(1));
  EXPECT_EQ(state.promotion_costs[0].candidate, 1);
  EXPECT_EQ(state.promotion_costs[0].cost[Resource::human_seconds], 240);
  EXPECT_EQ(state.spent_since_promotion()[Resource::human_seconds], 0);
  must(laboratory.run());
  must(approve(laboratory.archive(), "scale-search", false, "Ada", "one is enough", 30));
  state = laboratory.state();
  EXPECT_EQ(state.ledger.spent()[Resource::human_seconds], 270);
  EXPECT_EQ(state.spent_since_promotion()[Resource::human_seconds], 30);
  EXPECT_THAT(state.promotion_costs, SizeIs(1));
}

TEST(Approval, RefusedLetsTheNextBestBeSwept) {
  CampaignConfiguration configuration = by_person();
  configuration.rounds = 0;
  configuration.policy.sweeps_per_round = 2;
  configuration.supplied.push_back(testing::sample_solution("b", "b\n// speed: 0.8\n"));
  Laboratory laboratory(configuration);
  EXPECT_EQ(must(laboratory.run()).awaiting, 2);
  must(approve(laboratory.archive(), "scale-search", false, "Ada", ""));
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::awaiting_approval);
  EXPECT_EQ(state.awaiting, 1);
}

TEST(Approval, NeedsSomethingThatWaits) {
  Laboratory laboratory(by_person());
  auto result = approve(laboratory.archive(), "scale-search", true, "Ada", "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("scale-search"), HasSubstr("its phase is baseline")));
  must(laboratory.run());
  must(approve(laboratory.archive(), "scale-search", true, "Ada", ""));
  result = approve(laboratory.archive(), "scale-search", true, "Ada", "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "approve.nothing_waits");
}

TEST(Approval, NeedsANameAndACampaign) {
  Laboratory laboratory(by_person());
  must(laboratory.run());
  for (const char* who : {"", "  "}) {
    const auto result = approve(laboratory.archive(), "scale-search", true, who, "");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, "approve.who");
  }
  EXPECT_EQ(approve(laboratory.archive(), "other", true, "Ada", "").error().code, "campaign.not_found");
  EXPECT_EQ(laboratory.state().phase, Phase::awaiting_approval);
}

}  // namespace
}  // namespace assay::control
