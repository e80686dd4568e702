#include <assay/service/spending_words.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::service {
namespace {

using control::Resource;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

control::Amounts some() {
  control::Amounts amounts;
  amounts[Resource::micro_dollars] = 500'000;
  amounts[Resource::device_ms] = 12'300;
  return amounts;
}

TEST(SpendingWords, OfNothingThereIsNothingToSay) { EXPECT_THAT(spending_words({}), IsEmpty()); }

TEST(SpendingWords, TellWhatWasSpentOfWhichLimits) {
  control::CampaignState state;
  control::Budget budget;
  budget[Resource::micro_dollars] = 1'000'000;
  state.ledger = control::Ledger(budget);
  EXPECT_THAT(spending_words(state), ElementsAre(HasSubstr("Spent: nothing; the limits are $1.0000")));
  state.ledger.book(some());
  EXPECT_THAT(spending_words(state), ElementsAre("Spent: $0.5000, 12.3 s of the device; the limits are $1.0000 (left: "
                                                 "$0.5000)."));
}

TEST(SpendingWords, TellTheDevicesSecondsFromThoseOfTheClock) {
  control::CampaignState state;
  control::Amounts amounts;
  amounts[Resource::device_ms] = 74'600;
  amounts[Resource::wall_ms] = 83'800;
  state.ledger.book(amounts);
  EXPECT_THAT(spending_words(state), ElementsAre("Spent: 74.6 s of the device, 83.8 s by the clock."));
}

TEST(SpendingWords, TellWhoRaisedTheLimits) {
  control::CampaignState state;
  control::Budget limits;
  limits[Resource::micro_dollars] = 2'000'000;
  limits[Resource::tokens] = 100;
  state.ledger = control::Ledger(limits);
  state.raises = {{"Ada", limits}};
  EXPECT_THAT(spending_words(state),
              ElementsAre(HasSubstr("Spent: nothing"), "Ada raised the limits to $2.0000, 100 tokens."));
}

TEST(SpendingWords, TellThatNoPriceIsAssumedOfRunsThatToldNone) {
  control::CampaignState state;
  state.ledger.book(some());
  state.runs.resize(3);
  state.runs[0].outcome = agent::RunOutcome::finished;
  state.runs[0].micro_dollars = 20'000;
  state.runs[1].outcome = agent::RunOutcome::finished;
  EXPECT_THAT(spending_words(state),
              ElementsAre(HasSubstr("Spent: "), HasSubstr("1 of 3 runs of agents told no dollars")))
      << "the third has not ended";
  state.runs[1].micro_dollars = 0;
  EXPECT_THAT(spending_words(state), ElementsAre(HasSubstr("Spent: ")));
}

TEST(SpendingWords, TellWhatEachPromotionCostAndWhatStopped) {
  control::CampaignState state;
  state.ledger.book(some());
  state.ledger.book(some());
  state.promotion_costs = {{4, some()}};
  state.budget_reached = "nothing is left";
  EXPECT_THAT(
      spending_words(state),
      ElementsAre(HasSubstr("$1.0000"), "The promotion of candidate 4 cost $0.5000, 12.3 s of the device.",
                  "Since the last promotion: $0.5000, 12.3 s of the device.", "A limit was reached: nothing is left."));
}

}  // namespace
}  // namespace assay::service
