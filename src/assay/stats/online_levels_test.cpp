#include <assay/stats/online_levels.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::stats {
namespace {

TEST(OnlineLevels, SpendNoMoreThanAlphaWhereNothingIsRejected) {
  double spent = 0;
  for (int t = 1; t <= 100'000; ++t) {
    spent += online_level(0.05, t, 0);
  }
  EXPECT_LT(spent, 0.05);
  EXPECT_GT(spent, 0.045);
}

TEST(OnlineLevels, RiseWithRejectionsAndFallWithTests) {
  OnlineLevels levels(0.05);
  const double first = levels.level();
  EXPECT_TRUE(levels.test(-std::log(first) + 1e-9));
  EXPECT_DOUBLE_EQ(levels.level(), 2 * online_level(0.05, 2, 0));
  EXPECT_FALSE(levels.test(0));
  EXPECT_FALSE(levels.test(std::nan("")));
  EXPECT_EQ(levels.tested(), 3);
  EXPECT_EQ(levels.rejected(), 1);
  EXPECT_LT(online_level(0.05, 4, 1), online_level(0.05, 3, 1));
}

TEST(OnlineLevelsDeathTest, RefusesWhatCannotBe) {
  EXPECT_DEATH(OnlineLevels(0.0), "alpha");
  EXPECT_DEATH(static_cast<void>(online_level(0.05, 1, 1)), "rejected < number");
}

struct Campaigns {
  double false_discovery_rate = 0;
  double found = 0;  // Share of the true gains.
};

// Campaigns of 30 candidates, of which every `one_in`-th is a true gain. Each e-value is where an evidence process stands
// when it first reaches what is needed, or after 40 pairs; the spread of the pairs differs from candidate to candidate.
Campaigns simulate(int one_in, bool online, int runs) {
  constexpr double kAlpha = 0.1;
  base::Philox random(9, base::stream_id("online_levels"));
  Campaigns result;
  int gains = 0;
  for (int run = 0; run < runs; ++run) {
    OnlineLevels levels(kAlpha);
    int wrong = 0;
    int right = 0;
    for (int candidate = 1; candidate <= 30; ++candidate) {
      const bool gain = candidate % one_in == 0;
      gains += gain ? 1 : 0;
      const double spread = 0.01 * (1 + random.next_uniform());
      const double needed = -std::log(online ? levels.level() : kAlpha);
      std::vector<double> ratios;
      double log_e_value = 0;
      while (ratios.size() < 40 && log_e_value < needed) {
        ratios.push_back((gain ? -0.03 : 0) + spread * random.next_normal());
        log_e_value = log_evidence_below(ratios, 0);
      }
      const bool rejected = online ? levels.test(log_e_value) : log_e_value >= needed;
      (gain ? right : wrong) += rejected ? 1 : 0;
    }
    result.false_discovery_rate += static_cast<double>(wrong) / std::max(1, wrong + right) / runs;
    result.found += right;
  }
  result.found /= std::max(1, gains);
  return result;
}

TEST(OnlineLevels, HoldTheFalseDiscoveryRateOfACampaignAndStillFindGains) {
  const Campaigns copies = simulate(1000, true, 150);
  EXPECT_LE(copies.false_discovery_rate, 0.1 + 3 * std::sqrt(0.1 / 150));
  const Campaigns without = simulate(1000, false, 150);
  EXPECT_GT(without.false_discovery_rate, 0.3) << "what one level for each candidate does";
  const Campaigns mixed = simulate(5, true, 60);
  EXPECT_LE(mixed.false_discovery_rate, 0.1);
  EXPECT_GT(mixed.found, 0.8);
}

}  // namespace
}  // namespace assay::stats
