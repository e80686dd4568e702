#include <assay/stats/hierarchical_bootstrap.hpp>

#include <gtest/gtest.h>
#include <cmath>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

struct Spread {
  double session = 0;
  double pair = 0;
  double block = 0;
};

NestedRatios draw_ratios(std::uint64_t seed, const Spread& spread, std::size_t sessions, std::size_t pairs,
                         std::size_t blocks) {
  base::Philox random(seed, base::stream_id("hierarchical_bootstrap_test"));
  NestedRatios ratios(sessions);
  for (auto& session : ratios) {
    const double of_session = spread.session * random.next_normal();
    session.resize(pairs);
    for (auto& pair : session) {
      const double of_pair = spread.pair * random.next_normal();
      pair.resize(blocks);
      for (double& block : pair) {
        block = of_session + of_pair + spread.block * random.next_normal();
      }
    }
  }
  return ratios;
}

double coverage(const Spread& spread, std::size_t sessions, std::size_t pairs, std::size_t blocks) {
  constexpr int kRuns = 300;
  int covered = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const auto interval = hierarchical_bootstrap(draw_ratios(run, spread, sessions, pairs, blocks),
                                                 {.replicates = 200, .alpha = 0.1, .seed = run});
    covered += interval.lower <= 0 && 0 <= interval.upper ? 1 : 0;
  }
  return static_cast<double>(covered) / kRuns;
}

TEST(HierarchicalBootstrap, EstimatesTheMeanOfMeansOfMedians) {
  const NestedRatios ratios{{{1, 2, 30}, {4}}, {{7, 7}}};
  EXPECT_DOUBLE_EQ(hierarchical_bootstrap(ratios, {}).estimate, ((2.0 + 4) / 2 + 7) / 2);
}

TEST(HierarchicalBootstrap, IsDeterministicAndHasNoWidthWithoutSpread) {
  const NestedRatios ratios = draw_ratios(1, {0.01, 0.01, 0.01}, 2, 4, 3);
  const BootstrapPlan plan{.replicates = 100, .alpha = 0.1, .seed = 4};
  EXPECT_EQ(hierarchical_bootstrap(ratios, plan).lower, hierarchical_bootstrap(ratios, plan).lower);
  const NestedRatios same(2, std::vector<std::vector<double>>(3, std::vector<double>(4, 0.5)));
  EXPECT_EQ(hierarchical_bootstrap(same, plan).lower, 0.5);
  EXPECT_EQ(hierarchical_bootstrap(same, plan).upper, 0.5);
}

TEST(HierarchicalBootstrap, CoversWhateverLevelTheNoiseIsOf) {
  EXPECT_GE(coverage({0, 0.01, 0.002}, 1, 6, 5), 0.85);
  EXPECT_GE(coverage({0.01, 0.003, 0.003}, 4, 3, 3), 0.85);
  EXPECT_GE(coverage({0, 0, 0.01}, 1, 1, 25), 0.85);
}

// What an interval over all blocks alike would say, where the process pair is what varies.
TEST(HierarchicalBootstrap, AllBlocksAlikeWouldCoverFarTooSeldom) {
  constexpr int kRuns = 200;
  int covered = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const NestedRatios nested = draw_ratios(run, {0, 0.01, 0.002}, 1, 6, 5);
    std::vector<double> flat;
    for (const auto& pair : nested.front()) {
      flat.insert(flat.end(), pair.begin(), pair.end());
    }
    const auto interval = bootstrap_mean(flat, {.replicates = 200, .alpha = 0.1, .seed = run});
    covered += interval.lower <= 0 && 0 <= interval.upper ? 1 : 0;
  }
  EXPECT_LT(covered, 0.7 * kRuns);
}

TEST(HierarchicalBootstrapDeathTest, RefusesEmptyLevels) {
  EXPECT_DEATH(static_cast<void>(hierarchical_bootstrap({}, {})), "ratios.empty");
  EXPECT_DEATH(static_cast<void>(hierarchical_bootstrap({{}}, {})), "session.empty");
}

}  // namespace
}  // namespace assay::stats
