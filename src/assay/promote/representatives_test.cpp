#include <assay/promote/representatives.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay::promote {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

task::Workload workload(task::AxisValues axes) {
  task::Workload one;
  one.axes = std::move(axes);
  return one;
}

std::vector<task::Workload> batches(const std::vector<std::int64_t>& sizes) {
  std::vector<task::Workload> workloads;
  for (const std::int64_t size : sizes) {
    workloads.push_back(workload({{"batch_size", size}, {"page", 16}}));
  }
  return workloads;
}

std::vector<std::string> names(const std::vector<Regime>& regimes) {
  std::vector<std::string> all;
  std::transform(regimes.begin(), regimes.end(), std::back_inserter(all), [](const Regime& one) { return one.name; });
  return all;
}

TEST(ChooseRepresentatives, CutsAtTheWidestGapsInLogLatency) {
  const auto workloads = batches({1, 2, 4, 64, 128, 1024});
  const auto regimes = choose_representatives(workloads, {10, 11, 12, 200, 300, 5000}, 3);
  EXPECT_THAT(names(regimes), ElementsAre("batch_size 1..4", "batch_size 64..128", "batch_size 1024"));
  EXPECT_THAT(regimes[0].members, ElementsAre(0, 1, 2));
  EXPECT_THAT(regimes[1].members, ElementsAre(3, 4));
  EXPECT_EQ(regimes[0].representative, 2U);  // 12 of 33 ns
  EXPECT_EQ(regimes[1].representative, 4U);
  EXPECT_NEAR(regimes[2].latency_share, 5000.0 / 5533.0, 1e-12);
}

TEST(ChooseRepresentatives, WeighsWorkloadsWithTheSameAxesTogether) {
  // Batch 1 comes three times: together it weighs more than batch 2, and its first workload speaks for it.
  const auto workloads = batches({2, 1, 1, 1});
  const auto regimes = choose_representatives(workloads, {12, 10, 10, 10}, 1);
  ASSERT_THAT(regimes, SizeIs(1));
  EXPECT_EQ(regimes[0].representative, 1U);
  EXPECT_THAT(regimes[0].members, ElementsAre(0, 1, 2, 3));
  EXPECT_DOUBLE_EQ(regimes[0].latency_share, 1.0);
}

TEST(ChooseRepresentatives, MakesNoMoreRegimesThanDistinctLatencies) {
  EXPECT_THAT(choose_representatives(batches({1, 2, 3}), {10, 10, 10}, 3), SizeIs(1));
  EXPECT_THAT(choose_representatives(batches({1, 2}), {10, 20}, 5), SizeIs(2));
}

TEST(ChooseRepresentatives, NamesASingleShapeAll) {
  EXPECT_THAT(names(choose_representatives(batches({8, 8}), {10, 20}, 3)), ElementsAre("all"));
}

TEST(ChooseRepresentatives, NamesEveryVaryingAxis) {
  const std::vector<task::Workload> workloads{workload({{"m", 1}, {"n", 5}, {"k", 7}}),
                                              workload({{"m", 2}, {"n", 5}, {"k", 9}})};
  EXPECT_THAT(names(choose_representatives(workloads, {1, 1}, 2)), ElementsAre("m 1..2, k 7..9"));
}

TEST(ChooseRepresentatives, KeepsNamesUnique) {
  // Latency need not be monotone in the axes, so regimes may span the same values.
  const auto regimes = choose_representatives(batches({1, 2, 3, 4}), {10, 1000, 1000, 10}, 2);
  EXPECT_THAT(names(regimes), ElementsAre("batch_size 1..4", "batch_size 2..3"));
  const std::vector<task::Workload> pairs{workload({{"m", 1}, {"n", 1}}), workload({{"m", 2}, {"n", 2}}),
                                          workload({{"m", 1}, {"n", 2}}), workload({{"m", 2}, {"n", 1}})};
  EXPECT_THAT(names(choose_representatives(pairs, {10, 10, 1000, 1000}, 2)),
              ElementsAre("m 1..2, n 1..2", "m 1..2, n 1..2 (regime 2)"));
}

TEST(ChooseRepresentatives, OfNothingIsNothing) { EXPECT_THAT(choose_representatives({}, {}, 3), IsEmpty()); }

TEST(ChooseRepresentativesDeathTest, RefusesLatenciesThatAreNone) {
  EXPECT_DEATH(static_cast<void>(choose_representatives(batches({1}), {0}, 1)), "does not hold");
  EXPECT_DEATH(static_cast<void>(choose_representatives(batches({1}), {}, 1)), "does not hold");
  EXPECT_DEATH(static_cast<void>(choose_representatives(batches({1}), {1}, 0)), "does not hold");
}

RC_GTEST_PROP(ChooseRepresentativesProperty, PartitionsTheWorkloads, ()) {
  const auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange(1, 9)));
  const auto nanoseconds = *rc::gen::container<std::vector<int>>(sizes.size(), rc::gen::inRange(1, 100000));
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  const std::vector<double> latencies(nanoseconds.begin(), nanoseconds.end());
  const auto regimes = choose_representatives(batches(sizes), latencies, count);
  RC_ASSERT(!regimes.empty());
  RC_ASSERT(regimes.size() <= count);
  std::vector<std::size_t> seen;
  double share = 0;
  for (const Regime& regime : regimes) {
    RC_ASSERT(std::count(regime.members.begin(), regime.members.end(), regime.representative) == 1);
    seen.insert(seen.end(), regime.members.begin(), regime.members.end());
    share += regime.latency_share;
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::size_t> all(sizes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  RC_ASSERT(seen == all);
  RC_ASSERT(std::abs(share - 1) < 1e-9);
}

}  // namespace
}  // namespace assay::promote
