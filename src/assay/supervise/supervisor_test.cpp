#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <assay/supervise/history_for_test.hpp>
#include <assay/supervise/supervisor.hpp>
#include <assay/supervise/words.hpp>

namespace assay::supervise {
namespace {

using testing::add_failed;
using testing::add_flat;
using testing::add_improvement;
using testing::add_lost;
using testing::add_measured;
using testing::add_repeat;
using ::testing::HasSubstr;

std::optional<Finding> found(const History& history, Condition condition, const Settings& settings = {}) {
  for (const Finding& finding : examine(history, settings)) {
    if (finding.condition == condition) {
      return finding;
    }
  }
  return std::nullopt;
}

Claim claim(double gain, double noise, std::optional<std::size_t> replaced) {
  return {{gain, gain - noise, gain + noise}, replaced};
}

TEST(SupervisorTest, NothingIsWrongWithNothing) { EXPECT_TRUE(examine({}, {}).empty()); }

TEST(SupervisorTest, AFlatSearchIsAPlateauAfterTwoDozenAttempts) {
  History history;
  add_flat(history, 23);
  EXPECT_TRUE(examine(history, {}).empty());
  add_flat(history, 1);
  const auto plateau = found(history, Condition::plateau);
  ASSERT_TRUE(plateau);
  EXPECT_EQ(plateau->cause, Cause::none);
  EXPECT_EQ(plateau->recovery, Recovery::ask_person);
  EXPECT_EQ(plateau->since, 1);
  EXPECT_EQ(plateau->at, 24);
  EXPECT_THAT(plateau->evidence, HasSubstr("one of the next 8 improves is 9."));
  EXPECT_THAT(plateau->evidence, HasSubstr("nobody has modelled"));
}

TEST(SupervisorTest, AnImprovementEndsAPlateau) {
  History history;
  add_flat(history, 40);
  add_improvement(history);
  EXPECT_FALSE(found(history, Condition::plateau));
}

TEST(SupervisorTest, LostAttemptsAreNoEvidenceOfAPlateau) {
  History history;
  add_improvement(history);
  for (int i = 0; i < 60; ++i) {
    add_lost(history);
  }
  EXPECT_FALSE(found(history, Condition::plateau));
}

TEST(SupervisorTest, APlateauInTheNoiseIsForRepeats) {
  History history;
  add_flat(history, 30);
  for (std::size_t i = 10; i < 30; ++i) {
    history.attempts[i].undecided = true;
  }
  const auto plateau = found(history, Condition::plateau);
  ASSERT_TRUE(plateau);
  EXPECT_EQ(plateau->cause, Cause::noise_floor);
  EXPECT_EQ(plateau->recovery, Recovery::buy_repeats);
}

TEST(SupervisorTest, APlateauOfFailuresIsForThePrompt) {
  History history;
  for (int i = 0; i < 15; ++i) {
    add_failed(history);
    add_measured(history);
    add_failed(history);
  }
  const auto plateau = found(history, Condition::plateau);
  ASSERT_TRUE(plateau);
  EXPECT_EQ(plateau->cause, Cause::invalid_rate);
  EXPECT_EQ(plateau->recovery, Recovery::fix_prompt);
}

TEST(SupervisorTest, APlateauOfRepeatsIsForClosingTheRoute) {
  History history;
  add_flat(history, 14);
  for (std::size_t i = 0; i < 14; ++i) {
    add_repeat(history, i % 3);
  }
  const auto plateau = found(history, Condition::plateau);
  ASSERT_TRUE(plateau);
  EXPECT_EQ(plateau->cause, Cause::cycling);
  EXPECT_EQ(plateau->recovery, Recovery::close_route);
  const auto cycle = found(history, Condition::cycle);
  ASSERT_TRUE(cycle);
  EXPECT_EQ(cycle->recovery, Recovery::close_route);
}

TEST(SupervisorTest, APlateauAtTheRooflineIsTheEnd) {
  History history;
  add_flat(history, 30);
  history.headroom = std::log(1.03);
  const auto plateau = found(history, Condition::plateau);
  ASSERT_TRUE(plateau);
  EXPECT_EQ(plateau->cause, Cause::roofline);
  EXPECT_EQ(plateau->recovery, Recovery::stop);
  history.headroom = std::log(1.3);
  EXPECT_EQ(found(history, Condition::plateau)->cause, Cause::none);
}

// All of them hold at once; the order decides, and what was tried in vain is passed over.
TEST(SupervisorTest, CausesAreAskedInTheirOrder) {
  History history;
  for (int i = 0; i < 10; ++i) {
    add_measured(history).undecided = true;
    for (int j = 0; j < 2; ++j) {
      add_failed(history).code = history.attempts.front().code;
    }
  }
  history.headroom = 0;
  Settings settings;
  for (const Cause expected : {Cause::noise_floor, Cause::invalid_rate, Cause::cycling, Cause::roofline, Cause::none}) {
    const auto plateau = found(history, Condition::plateau, settings);
    ASSERT_TRUE(plateau);
    EXPECT_EQ(to_string(plateau->cause), to_string(expected));
    settings.spent.push_back(expected);
  }
}

TEST(SupervisorTest, ElevenAttemptsWithNothingToCompareAreAStall) {
  History history;
  for (int i = 0; i < 10; ++i) {
    add_failed(history);
  }
  EXPECT_FALSE(found(history, Condition::stall));
  add_failed(history);
  const auto stall = found(history, Condition::stall);
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->cause, Cause::invalid_rate);
  EXPECT_EQ(stall->recovery, Recovery::fix_prompt);
}

TEST(SupervisorTest, AStallOfTheMachinesIsNotTheCandidates) {
  History history;
  add_flat(history, 3);
  for (int i = 0; i < 24; ++i) {
    add_lost(history);
  }
  const auto stall = found(history, Condition::stall);
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->cause, Cause::machines);
  EXPECT_EQ(stall->recovery, Recovery::ask_person);
}

TEST(SupervisorTest, ThePromotionOfTheSameCodeIsAPhantom) {
  History history;
  add_measured(history);
  Attempt& again = add_repeat(history, 0);
  again.claim = claim(1.0, 0.1, 0);
  const auto phantom = found(history, Condition::phantom);
  ASSERT_TRUE(phantom);
  EXPECT_TRUE(phantom->momentary);
  EXPECT_EQ(phantom->at, 2);
  EXPECT_EQ(phantom->recovery, Recovery::buy_repeats);
  EXPECT_THAT(phantom->evidence, HasSubstr("promoted as 2.72 times as fast; its code is that of attempt 1"));
}

TEST(SupervisorTest, ThePromotionOfAnEarlierCodeIsAPhantomToo) {
  History history;
  add_measured(history).level = 0;
  add_measured(history).level = 0;
  Attempt& again = add_repeat(history, 0);
  again.claim = claim(1.0, 0.1, 1);
  again.level = 1.0;
  EXPECT_TRUE(found(history, Condition::phantom));
  history.attempts.front().level = 0.95;
  EXPECT_FALSE(found(history, Condition::phantom)) << "it was measured twice, and is as fast as it was";
}

TEST(SupervisorTest, AnotherEnvironmentIsNoGain) {
  History history;
  add_measured(history);
  Attempt& moved = add_measured(history);
  moved.environment = 1;
  moved.claim = claim(1.0, 0.1, 0);
  const auto phantom = found(history, Condition::phantom);
  ASSERT_TRUE(phantom);
  EXPECT_THAT(phantom->evidence, HasSubstr("different environments"));
}

TEST(SupervisorTest, APromotionInsideTheNoiseIsNoBreakthroughAtAll) {
  History history;
  add_measured(history);
  add_repeat(history, 0).claim = claim(0.05, 0.1, 0);
  EXPECT_FALSE(found(history, Condition::phantom));
}

TEST(SupervisorTest, ARealGainIsNoPhantom) {
  History history;
  add_measured(history);
  Attempt& better = add_improvement(history, 1.0);
  better.claim = claim(1.0, 0.1, 0);
  EXPECT_TRUE(examine(history, {}).empty());
}

TEST(SupervisorTest, KeepingASlowerOneIsARegression) {
  History history;
  add_measured(history);
  add_measured(history).claim = claim(-0.3, 0.1, 0);
  const auto regression = found(history, Condition::regression);
  ASSERT_TRUE(regression);
  EXPECT_TRUE(regression->momentary);
  EXPECT_EQ(regression->recovery, Recovery::close_route);
  history.attempts.back().claim = claim(-0.05, 0.1, 0);
  EXPECT_FALSE(found(history, Condition::regression)) << "inside the noise";
}

TEST(SupervisorTest, SpeedsThatFallAreARegression) {
  History history;
  for (int i = 0; i < 12; ++i) {
    add_measured(history).level = -0.01 * i;
  }
  const auto regression = found(history, Condition::regression);
  ASSERT_TRUE(regression);
  EXPECT_FALSE(regression->momentary);
  EXPECT_EQ(regression->since, 1);
}

TEST(SupervisorTest, SpeedsOfAnotherEnvironmentAreNotCompared) {
  History history;
  for (int i = 0; i < 12; ++i) {
    Attempt& attempt = add_measured(history);
    attempt.level = -0.01 * i;
    attempt.environment = i < 8 ? 0 : 1;
  }
  EXPECT_FALSE(found(history, Condition::regression));
}

TEST(SupervisorTest, GainsThatShrinkAreDiminishingReturns) {
  History history;
  double gain = 0.8;
  for (int i = 0; i < 5; ++i) {
    add_flat(history, i);
    add_improvement(history, gain);
    gain /= 2;
  }
  const auto diminishing = found(history, Condition::diminishing_returns);
  ASSERT_TRUE(diminishing);
  EXPECT_THAT(diminishing->evidence, HasSubstr("from 80 % to 1 %"));
  add_flat(history, 60);
  EXPECT_FALSE(found(history, Condition::diminishing_returns)) << "by now it is a plateau";
  EXPECT_TRUE(found(history, Condition::plateau));
}

}  // namespace
}  // namespace assay::supervise
