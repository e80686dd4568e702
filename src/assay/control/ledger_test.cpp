#include <assay/control/ledger.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace assay::control {
namespace {

using Certainty = Actual::Certainty;
using ::testing::HasSubstr;

Amounts dollars(std::int64_t micro) {
  Amounts amounts;
  amounts[Resource::micro_dollars] = micro;
  return amounts;
}

Ledger with_limit(Resource resource, std::int64_t limit) {
  Budget budget;
  budget[resource] = limit;
  return Ledger(budget);
}

Actuals told(Certainty certainty, std::int64_t micro) {
  Actuals actuals;
  actuals[0] = {certainty, micro};
  for (std::size_t i = 1; i < kResources; ++i) {
    actuals[i] = {Certainty::exact, 0};
  }
  return actuals;
}

TEST(Ledger, TakesLimitsThatAreGivenAndKeepsTheOthers) {
  Budget both;
  both[Resource::micro_dollars] = 100;
  both[Resource::tokens] = 7;
  Ledger ledger(both);
  ASSERT_TRUE(ledger.reserve("a", dollars(90)));
  EXPECT_FALSE(ledger.reserve("b", dollars(20)));
  Budget larger;
  larger[Resource::micro_dollars] = 110;
  ledger.set_limits(larger);
  EXPECT_TRUE(ledger.reserve("b", dollars(20)));
  EXPECT_EQ(ledger.left(Resource::tokens), 7);
  EXPECT_FALSE(ledger.left(Resource::wall_ms));
}

TEST(Ledger, WhatIsReservedCountsAsSpentUntilItIsSettled) {
  Ledger ledger = with_limit(Resource::micro_dollars, 100);
  ASSERT_TRUE(ledger.reserve("a", dollars(60)));
  EXPECT_EQ(ledger.left(Resource::micro_dollars), 40);
  EXPECT_EQ(ledger.spent()[Resource::micro_dollars], 0);
  const auto refused = ledger.reserve("b", dollars(41));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "budget.reached");
  EXPECT_THAT(refused.error().message, HasSubstr("$0.0001"));
  EXPECT_EQ(ledger.open().size(), 1U);
  EXPECT_EQ(ledger.settle("a", told(Certainty::exact, 25)).value(), dollars(25));
  EXPECT_EQ(ledger.left(Resource::micro_dollars), 75);
}

TEST(Ledger, AnAccountThatIsLostIsBookedAtTheReservation) {
  Ledger ledger = with_limit(Resource::micro_dollars, 100);
  ASSERT_TRUE(ledger.reserve("a", dollars(60)));
  EXPECT_EQ(ledger.settle("a", told(Certainty::unknown, 1)).value(), dollars(60));
  ASSERT_TRUE(ledger.reserve("b", dollars(10)));
  EXPECT_EQ(ledger.settle("b", told(Certainty::at_least, 4)).value(), dollars(10));
  ASSERT_TRUE(ledger.reserve("c", dollars(10)));
  EXPECT_EQ(ledger.settle("c", told(Certainty::at_least, 12)).value(), dollars(12));
  EXPECT_EQ(ledger.spent(), dollars(82));
}

// Claude looks at its limit after each request, and passes it by one.
TEST(Ledger, WhoSpentMoreThanWasReservedIsBookedWithAllOfIt) {
  Ledger ledger = with_limit(Resource::micro_dollars, 100);
  ASSERT_TRUE(ledger.reserve("a", dollars(90)));
  EXPECT_EQ(ledger.settle("a", told(Certainty::exact, 120)).value(), dollars(120));
  EXPECT_EQ(ledger.left(Resource::micro_dollars), 0);
  EXPECT_EQ(ledger.exhausted(), Resource::micro_dollars);
  EXPECT_FALSE(ledger.reserve("b", dollars(1)));
  EXPECT_TRUE(ledger.reserve("free", dollars(0)));
}

TEST(Ledger, AnyLimitStops) {
  for (const Resource resource : {Resource::tokens, Resource::device_ms, Resource::wall_ms, Resource::human_seconds}) {
    Ledger ledger = with_limit(resource, 5);
    Amounts six;
    six[resource] = 6;
    EXPECT_FALSE(ledger.reserve("a", six)) << to_string(resource);
    EXPECT_FALSE(ledger.exhausted());
    six[resource] = 5;
    EXPECT_TRUE(ledger.reserve("a", six)) << to_string(resource);
    EXPECT_EQ(ledger.exhausted(), resource);
  }
}

TEST(Ledger, IdsAreUsedOnceAtATime) {
  Ledger ledger;
  ASSERT_TRUE(ledger.reserve("a", dollars(1)));
  EXPECT_EQ(ledger.reserve("a", dollars(1)).error().owner, base::Owner::internal);
  ASSERT_TRUE(ledger.settle("a", {}));
  EXPECT_EQ(ledger.settle("a", {}).error().owner, base::Owner::internal);
}

TEST(Ledger, WithoutALimitAllIsAllowedAndCounted) {
  Ledger ledger;
  ASSERT_TRUE(ledger.reserve("a", dollars(kLargestAmount)));
  ASSERT_TRUE(ledger.reserve("b", dollars(kLargestAmount)));
  EXPECT_EQ(ledger.reserved(), dollars(kLargestAmount));  // Held at the largest, never overflown.
  EXPECT_FALSE(ledger.left(Resource::micro_dollars));
  EXPECT_FALSE(ledger.exhausted());
}

TEST(Ledger, DollarsAreRoundedUp) {
  EXPECT_EQ(to_micro_dollars(0.02031), 20310);
  EXPECT_EQ(to_micro_dollars(0.0000001), 1);
  EXPECT_EQ(to_micro_dollars(0), 0);
  EXPECT_EQ(to_micro_dollars(-1), kLargestAmount);
  EXPECT_EQ(to_micro_dollars(std::numeric_limits<double>::quiet_NaN()), kLargestAmount);
  EXPECT_EQ(to_micro_dollars(std::numeric_limits<double>::infinity()), kLargestAmount);
  EXPECT_EQ(to_micro_dollars(1e300), kLargestAmount);
}

TEST(Ledger, TellsAllThatItKnows) {
  Ledger ledger = with_limit(Resource::tokens, 10);
  ASSERT_TRUE(ledger.reserve("a", dollars(7)));
  const base::Json json = encode(ledger);
  EXPECT_EQ(json["micro_dollars"]["reserved"], 7);
  EXPECT_TRUE(json["micro_dollars"]["limit"].is_null());
  EXPECT_EQ(json["tokens"]["left"], 10);
}

struct Step {
  bool reserves = false;
  std::size_t which = 0;
  std::int64_t amount = 0;
  Certainty certainty = Certainty::exact;
};

std::vector<Step> any_steps() {
  return *rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
      rc::gen::set(&Step::reserves), rc::gen::set(&Step::which, rc::gen::inRange<std::size_t>(0, 6)),
      rc::gen::set(&Step::amount, rc::gen::inRange<std::int64_t>(0, 60)),
      rc::gen::set(&Step::certainty, rc::gen::element(Certainty::exact, Certainty::at_least, Certainty::unknown))));
}

// A model that keeps nothing but the rules: whoever keeps to what he reserved never passes the limit, whatever of his
// account is lost; what was spent never shrinks; and the books always balance.
RC_GTEST_PROP(LedgerProperty, NobodyWhoKeepsToHisReservationPassesTheLimit, ()) {
  const auto limit = *rc::gen::inRange<std::int64_t>(0, 200);
  Ledger ledger = with_limit(Resource::micro_dollars, limit);
  std::map<std::string, std::int64_t> open;
  std::int64_t spent = 0;
  for (const Step& step : any_steps()) {
    const std::string id = std::to_string(step.which);
    const std::int64_t before = ledger.spent()[Resource::micro_dollars];
    if (step.reserves && !open.contains(id)) {
      std::int64_t reserved = 0;
      for (const auto& [other, amount] : open) {
        reserved += amount;
      }
      const bool fits = step.amount == 0 || spent + reserved + step.amount <= limit;
      RC_ASSERT(ledger.reserve(id, dollars(step.amount)).has_value() == fits);
      if (fits) {
        open[id] = step.amount;
      }
    } else if (!step.reserves && open.contains(id)) {
      const std::int64_t used = std::min(step.amount, open[id]);
      RC_ASSERT(ledger.settle(id, told(step.certainty, used)).has_value());
      spent += step.certainty == Certainty::exact ? used : open[id];
      open.erase(id);
    }
    RC_ASSERT(ledger.spent()[Resource::micro_dollars] == spent);
    RC_ASSERT(ledger.spent()[Resource::micro_dollars] >= before);
    RC_ASSERT(ledger.open().size() == open.size());
    RC_ASSERT(spent + ledger.reserved()[Resource::micro_dollars] <= limit);
    RC_ASSERT(ledger.left(Resource::micro_dollars) == limit - spent - ledger.reserved()[Resource::micro_dollars]);
  }
}

RC_GTEST_PROP(LedgerProperty, TheOrderOfSettlingDoesNotMatter, ()) {
  const auto amounts = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1000));
  Ledger forward;
  Ledger backward;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    RC_ASSERT(forward.reserve(std::to_string(i), dollars(amounts[i])).has_value());
    RC_ASSERT(backward.reserve(std::to_string(i), dollars(amounts[i])).has_value());
  }
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const std::size_t other = amounts.size() - 1 - i;
    RC_ASSERT(forward.settle(std::to_string(i), told(Certainty::at_least, amounts[i] / 2)).has_value());
    RC_ASSERT(backward.settle(std::to_string(other), told(Certainty::at_least, amounts[other] / 2)).has_value());
  }
  RC_ASSERT(forward.spent() == backward.spent());
}

}  // namespace
}  // namespace assay::control
