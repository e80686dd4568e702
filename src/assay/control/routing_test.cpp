#include <assay/control/routing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <assay/base/random.hpp>

namespace assay::control {
namespace {

using ::testing::HasSubstr;

ArmRecord arm_with(const std::string& name, std::vector<double> gains,
                   std::optional<double> micro_dollars = std::nullopt) {
  ArmRecord record{name, {}};
  for (const double gain : gains) {
    record.runs.push_back({gain, micro_dollars});
  }
  return record;
}

TEST(DecideArm, TriesEachOnceInOrder) {
  std::vector<ArmRecord> arms = {arm_with("a", {}), arm_with("b", {}), arm_with("c", {})};
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const ArmDecision decision = decide_arm(arms, 1, static_cast<int>(i) + 1);
    EXPECT_EQ(decision.arm, i);
    EXPECT_THAT(decision.why, HasSubstr("not been tried"));
    arms[i].runs.push_back({0.5, std::nullopt});
  }
}

TEST(DecideArm, OfOneIsThatOne) { EXPECT_EQ(decide_arm({arm_with("a", {})}, 1, 1).arm, 0U); }

// The same seed, number and record: the same choice and the same words, so that a replay can hold them together.
TEST(DecideArm, IsAFunctionOfWhatIsInTheJournal) {
  const std::vector<ArmRecord> arms = {arm_with("a", {0, 0.1, 0}), arm_with("b", {0.05, 0, 0})};
  std::vector<std::size_t> chosen;
  for (int number = 1; number <= 50; ++number) {
    const ArmDecision decision = decide_arm(arms, 9, number);
    EXPECT_EQ(decision.why, decide_arm(arms, 9, number).why);
    chosen.push_back(decision.arm);
  }
  EXPECT_GT(std::count(chosen.begin(), chosen.end(), 0U), 0) << "and each number has a draw of its own";
  EXPECT_GT(std::count(chosen.begin(), chosen.end(), 1U), 0);
}

TEST(DecideArm, TakesGainForADollarWhereAllToldTheirs) {
  const std::vector<double> same(40, 0.1);
  const auto share_of_cheap = [&](std::optional<double> cheap, std::optional<double> dear) {
    int times = 0;
    for (int number = 1; number <= 200; ++number) {
      times += decide_arm({arm_with("cheap", same, cheap), arm_with("dear", same, dear)}, 3, number).arm == 0 ? 1 : 0;
    }
    return times;
  };
  EXPECT_GT(share_of_cheap(1e5, 1e6), 190) << "the same gain for a tenth";
  EXPECT_NEAR(share_of_cheap(std::nullopt, 1e6), 100, 30) << "one did not tell: by runs they are equal";
  EXPECT_NEAR(share_of_cheap(0, 1e6), 100, 30) << "what costs nothing has no gain for a dollar";
}

TEST(DecideArm, ADrawBelowZeroIsNotMadeBetterByItsPrice) {
  const std::vector<double> worthless(60, 0.0);
  int dear = 0;
  for (int number = 1; number <= 200; ++number) {
    dear += static_cast<int>(
        decide_arm({arm_with("cheap", worthless, 1e4), arm_with("dear", worthless, 1e8)}, 4, number).arm);
  }
  EXPECT_LT(dear, 140);
}

TEST(ArmGain, CountsWhatWasMeasuredFaster) {
  EXPECT_DOUBLE_EQ(arm_gain(-0.2), 0.2);
  EXPECT_EQ(arm_gain(0.3), 0);
  EXPECT_EQ(arm_gain(std::nullopt), 0);
}

// A simulated search: one arm finds a gain of 10 % in three runs of ten, the others in one. After 60 runs the rule must have
// gained clearly more than taking turns does; averaged over 200 searches, so that no single draw decides.
TEST(DecideArm, FindsTheBetterArm) {
  constexpr int kSearches = 200;
  constexpr int kRuns = 60;
  const std::vector<double> chances = {0.1, 0.3, 0.1};
  double routed = 0;
  double runs_of_best = 0;
  for (int search = 0; search < kSearches; ++search) {
    base::Philox luck(11, static_cast<std::uint64_t>(search));
    std::vector<ArmRecord> arms = {arm_with("a", {}), arm_with("b", {}), arm_with("c", {})};
    for (int number = 1; number <= kRuns; ++number) {
      const std::size_t chosen = decide_arm(arms, static_cast<std::uint64_t>(search), number).arm;
      const double gain = luck.next_uniform() < chances[chosen] ? 0.1 : 0;
      arms[chosen].runs.push_back({gain, std::nullopt});
      routed += gain;
    }
    runs_of_best += static_cast<double>(arms[1].runs.size());
  }
  const double in_turns = kSearches * kRuns * 0.1 * (0.1 + 0.3 + 0.1) / 3;
  const double at_best = kSearches * kRuns * 0.1 * 0.3;
  EXPECT_GT(routed, in_turns + 0.35 * (at_best - in_turns)) << "of what could be won over taking turns";
  EXPECT_GT(runs_of_best / kSearches, 30);
  EXPECT_LT(runs_of_best / kSearches, kRuns - 2) << "the others are not forgotten";
}

// Where nothing can be told apart no arm may be starved.
TEST(DecideArm, SharesAmongEquals) {
  constexpr int kSearches = 100;
  double runs_of_first = 0;
  for (int search = 0; search < kSearches; ++search) {
    base::Philox luck(12, static_cast<std::uint64_t>(search));
    std::vector<ArmRecord> arms = {arm_with("a", {}), arm_with("b", {})};
    for (int number = 1; number <= 40; ++number) {
      const std::size_t chosen = decide_arm(arms, static_cast<std::uint64_t>(search), number).arm;
      arms[chosen].runs.push_back({luck.next_uniform() < 0.2 ? 0.1 : 0, std::nullopt});
    }
    runs_of_first += static_cast<double>(arms[0].runs.size());
  }
  EXPECT_NEAR(runs_of_first / kSearches, 20, 4);
}

}  // namespace
}  // namespace assay::control
