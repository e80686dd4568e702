#include <assay/stats/self_comparison.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/paired_decision.hpp>
#include <assay/stats/simulated_session.hpp>

namespace assay::stats {
namespace {

std::vector<double> self_pairs(std::uint64_t seed, int pairs) {
  SimulatedSession session({}, 0, 2, 3, seed);
  std::vector<PairedSample> samples;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto more = session.next_pair();
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return tabulate(samples, pairs, 2).pair_log_ratios;
}

TEST(SelfComparison, NothingIsKnownWithoutPairs) {
  const SelfComparison none = judge_self_comparison({}, 0.05);
  EXPECT_EQ(none.spread, 0);
  EXPECT_TRUE(std::isinf(none.spread_upper));
  EXPECT_FALSE(none.biased);
}

TEST(SelfComparison, SoundSessionsAreVoidedLessOftenThanStated) {
  constexpr int kRuns = 400;
  int voided = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    voided += judge_self_comparison(self_pairs(run, 30), 0.05).biased ? 1 : 0;
  }
  EXPECT_LE(voided, 0.05 * kRuns + 3 * std::sqrt(0.05 * kRuns));
}

TEST(SelfComparison, ASideThatIsAlwaysFavouredVoidsTheSession) {
  std::vector<double> ratios = self_pairs(1, 40);
  for (double& ratio : ratios) {
    ratio += 0.02;  // The second process of each pair finds the caches warm.
  }
  EXPECT_TRUE(judge_self_comparison(ratios, 0.05).biased);
  std::transform(ratios.begin(), ratios.end(), ratios.begin(), [](double ratio) { return -ratio; });
  EXPECT_TRUE(judge_self_comparison(ratios, 0.05).biased);
}

TEST(SelfComparison, TheSpreadIsThatOfTheMiddleAndItsBoundHolds) {
  base::Philox random(3, base::stream_id("self_comparison"));
  constexpr int kRuns = 400;
  int below = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> ratios(21);
    std::generate(ratios.begin(), ratios.end(), [&] { return 0.01 * random.next_normal(); });
    ratios[5] = 3;  // An outlier changes next to nothing.
    const SelfComparison result = judge_self_comparison(ratios, 0.05);
    EXPECT_LE(result.spread, result.spread_upper);
    below += result.spread_upper < 0.01 ? 1 : 0;
  }
  EXPECT_LE(below, 0.05 * kRuns + 3 * std::sqrt(0.05 * kRuns));
  EXPECT_TRUE(std::isinf(judge_self_comparison(std::vector<double>{0.1, 0.1, 0.1, 0.1}, 0.05).spread_upper));
  EXPECT_FALSE(std::isinf(judge_self_comparison(std::vector<double>{0.1, 0.1, 0.1, 0.1, 0.2}, 0.05).spread_upper));
}

TEST(PairsToFind, AgreesWithSimulatedTests) {
  base::Philox random(8, base::stream_id("pairs_to_find"));
  for (const double spread : {0.004, 0.012, 0.02}) {
    constexpr double kBeyond = 0.01;
    const PairedRule rule{
        .minimum_pairs = 3, .maximum_pairs = 400, .alpha = 0.05, .minimum_effect = 0.002, .test = PairedTest::evidence};
    constexpr std::size_t kRuns = 300;
    std::vector<int> taken(kRuns);
    for (int& pairs : taken) {
      std::vector<double> ratios(400);
      std::generate(ratios.begin(), ratios.end(),
                    [&] { return std::log1p(-0.002) - kBeyond + spread * random.next_normal(); });
      pairs = decide_paired(ratios, rule).pairs_used;
    }
    std::sort(taken.begin(), taken.end());
    const double simulated = taken[kRuns * 95 / 100];
    EXPECT_NEAR(pairs_to_find(kBeyond, spread, 0.05) / simulated, 1, 0.25) << spread;
  }
}

}  // namespace
}  // namespace assay::stats
