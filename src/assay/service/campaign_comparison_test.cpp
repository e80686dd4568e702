#include <assay/service/campaign_comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

report::ComparedCampaign side(const std::string& name, std::optional<report::Ratio> confirmed) {
  report::ComparedCampaign one;
  one.name = name;
  one.state = "finished";
  one.confirmed = confirmed;
  return one;
}

TEST(JudgeEnds, NeedsIntervalsThatLieApart) {
  const auto fast = side("fast", report::Ratio{2, 1.9, 2.1});
  const auto slow = side("slow", report::Ratio{1.5, 1.4, 1.6});
  for (const EndVerdict& verdict : {judge_ends(fast, slow, {}), judge_ends(slow, fast, {})}) {
    EXPECT_TRUE(verdict.decided);
    EXPECT_THAT(verdict.statement, StartsWith("Decided: fast ended faster."));
  }
  const EndVerdict near = judge_ends(fast, side("near", report::Ratio{1.95, 1.85, 2.05}), {});
  EXPECT_FALSE(near.decided);
  EXPECT_THAT(near.statement, HasSubstr("are not apart"));
  EXPECT_FALSE(judge_ends(fast, side("touches", report::Ratio{1.8, 1.7, 1.9}), {}).decided);
}

TEST(JudgeEnds, ABaselineThatStaysIsOne) {
  EXPECT_TRUE(judge_ends(side("none", report::Ratio{}), side("fast", report::Ratio{2, 1.9, 2.1}), {}).decided);
  EXPECT_FALSE(judge_ends(side("none", report::Ratio{}), side("neither", report::Ratio{}), {}).decided);
}

TEST(JudgeEnds, SaysNothingOfWhatIsNotConfirmedOrWasUnderOtherConditions) {
  const auto fast = side("fast", report::Ratio{2, 1.9, 2.1});
  const EndVerdict open = judge_ends(fast, side("open", std::nullopt), {});
  EXPECT_FALSE(open.decided);
  EXPECT_THAT(open.statement, HasSubstr("open is finished"));
  const EndVerdict moved = judge_ends(fast, side("slow", report::Ratio{1, 0.9, 1.1}), {"cpu was a and is b"});
  EXPECT_FALSE(moved.decided);
  EXPECT_THAT(moved.statement, HasSubstr("cpu was a and is b"));
}

control::Ledger spent(std::int64_t micro_dollars, std::int64_t tokens) {
  control::Ledger ledger;
  control::Amounts amounts;
  amounts[control::Resource::micro_dollars] = micro_dollars;
  amounts[control::Resource::tokens] = tokens;
  ledger.book(amounts);
  return ledger;
}

TEST(CommonAxis, IsTheFirstOfWhichBothSpent) {
  EXPECT_EQ(common_axis(spent(1, 1), spent(2, 2)), control::Resource::micro_dollars);
  EXPECT_EQ(common_axis(spent(1, 1), spent(0, 2)), control::Resource::tokens);
  EXPECT_EQ(common_axis(spent(0, 0), spent(5, 2)), std::nullopt);
}

class CampaignComparisonTest : public testing::Test {
 protected:
  CampaignComparisonTest() {
    world_.add_tunable("tunable");
    options_.tunable = "tunable";
    options_.also = {world_.kernel("wrong.cpp", "incorrect")};
  }
  void run(const std::string& name, int rounds) {
    options_.name = name;
    options_.rounds = rounds;
    options_.candidates_per_round = 4;
    const auto status = run_campaign(world_.context(), options_, {});
    ASSERT_TRUE(status) << status.error().text();
  }

  rehearsal::World world_;
  CampaignOptions options_;
};

TEST_F(CampaignComparisonTest, HoldsTwoCampaignsOfOneTaskBesideEachOther) {
  run("short", 0);
  run("long", 1);
  const auto comparison = compare_campaigns(world_.context(), "short", "long");
  ASSERT_TRUE(comparison) << comparison.error().text();
  EXPECT_TRUE(comparison->decided) << comparison->statement;
  EXPECT_THAT(comparison->statement, StartsWith("Decided: long ended faster."));
  EXPECT_FALSE(comparison->equal_budgets);
  EXPECT_THAT(comparison->sentences.at(0), HasSubstr("Neither had a budget"));
  EXPECT_EQ(comparison->first.judged, 1);
  EXPECT_EQ(comparison->first.invalid, 1);
  EXPECT_EQ(comparison->first.confirmed->estimate, 1);
  EXPECT_THAT(comparison->first.promotions, IsEmpty());
  EXPECT_EQ(comparison->second.mode, "the tuner");
  EXPECT_NEAR(comparison->second.confirmed->estimate, 4, 1e-6);
  ASSERT_FALSE(comparison->second.promotions.empty());
  const report::ComparedPromotion& last = comparison->second.promotions.back();
  EXPECT_NEAR(last.speedup, 4, 1e-6);
  EXPECT_NE(last.cost, "nothing that is booked");
  EXPECT_EQ(comparison->axis, "seconds of agents and judges") << "neither spent anything else";

  const base::Json json = encode(*comparison);
  EXPECT_EQ(json["decided"], true);
  EXPECT_EQ(json["second"]["confirmed"].size(), 3U);
  const os::Path page = world_.path("pages") / "comparison.html";
  ASSERT_TRUE(write_comparison(*comparison, page));
  EXPECT_THAT(os::read_file(page).value(), HasSubstr("long ended faster"));
}

TEST_F(CampaignComparisonTest, RefusesOneCampaignUnknownOnesAndOtherTasks) {
  run("short", 0);
  EXPECT_EQ(compare_campaigns(world_.context(), "short", "short").error().code, "comparison.same");
  EXPECT_EQ(compare_campaigns(world_.context(), "short", "other").error().code, "campaign.unknown");
  options_.baseline = world_.kernel("base.cpp", "cost=50");
  run("based", 0);
  const auto refused = compare_campaigns(world_.context(), "short", "based");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_THAT(refused.error().message, HasSubstr("differ in baseline"));
}

}  // namespace
}  // namespace assay::service
