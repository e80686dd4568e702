#include <assay/service/trial_history.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <assay/base/random.hpp>
#include <assay/service/evaluate.hpp>
#include <assay/service/rehearsal.hpp>
#include <assay/stats/failure_words.hpp>

namespace assay::service {
namespace {

using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::SizeIs;

class TrialHistoryTest : public testing::Test {
 protected:
  EvaluateReport judge(const std::string& name, const std::string& text, int trials = 0) {
    EvaluateOptions options;
    options.candidate = world_.kernel(name, text);
    options.workloads = "all";
    options.trials = trials;
    auto report = evaluate(world_.context(), options);
    EXPECT_TRUE(report) << report.error().text();
    return report.value_or(EvaluateReport{});
  }

  rehearsal::World world_;
};

TEST_F(TrialHistoryTest, WithoutAnArchiveOrAFailureTrialsAreEven) {
  EXPECT_THAT(judge("first.cpp", "cost=90", 100).request.trials_on, IsEmpty());
  EXPECT_THAT(judge("second.cpp", "cost=80", 100).request.trials_on, IsEmpty());
  EXPECT_THAT(allocate_trials(std::vector<stats::ReplayStratum>(3), 100), IsEmpty());
}

TEST_F(TrialHistoryTest, TrialsGoWhereAnEarlierCandidateFailed) {
  judge("wrong.cpp", "incorrect");  // The fake judge finds it on the first workload.
  const std::vector<int> counts = judge("other.cpp", "cost=70", 200).request.trials_on;
  ASSERT_THAT(counts, SizeIs(4));
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 200);
  EXPECT_GT(counts[0], counts[1]);
  EXPECT_THAT(counts, Each(Ge(10))) << "a fifth of them is spread evenly";
  EXPECT_THAT(judge("few.cpp", "cost=60", 3).request.trials_on, IsEmpty()) << "fewer than one a workload";
}

TEST(AllocateTrials, WhatHistorySaysMayNotCostTheBound) {
  std::vector<stats::ReplayStratum> strata(20);
  for (stats::ReplayStratum& stratum : strata) {
    stratum.of_operator = {1000, 0};
  }
  strata[3].of_siblings = {10, 1};
  const auto bound_of = [&](double asked) {
    const std::vector<int> counts = allocate_trials(strata, 3200, asked);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 3200);
    EXPECT_GT(counts[3], counts[4]);
    return stats::bound_clean_trials(std::vector<std::int64_t>(counts.begin(), counts.end())).in_use;
  };
  const double free = bound_of(1);
  EXPECT_GT(free, 0.0015) << "what history says costs the others trials";
  EXPECT_LE(bound_of(0.0014), 0.0014);
  EXPECT_LE(bound_of(0.0012), 0.0012);
  const std::vector<int> hopeless = allocate_trials(strata, 3200, 1e-6);
  EXPECT_THAT(hopeless, Each(160)) << "the best that can be had";
}

// A defect on one of 128 workloads shows in 1.5 % of its calls; a sibling was tried evenly until it failed there once. What
// bench/promotion_rules.cpp shows of the rule must hold of the allocation that requests carry.
TEST(AllocateTrials, APlantedDefectIsCaughtWithinTwoThousandTrials) {
  constexpr double kRate = 0.015;
  constexpr int kRuns = 500;
  double caught = 0;
  double caught_evenly = 0;
  base::Philox random(1, 2);
  for (int run = 0; run < kRuns; ++run) {
    std::int64_t rounds = 1;
    while (random.next_uniform() >= kRate) {
      ++rounds;
    }
    std::vector<stats::ReplayStratum> strata(128);
    for (std::size_t i = 0; i < strata.size(); ++i) {
      strata[i].regime = i / 8;
      strata[i].of_siblings = {rounds, i == 77 ? 1 : 0};
    }
    const std::vector<int> counts = allocate_trials(strata, 2000);
    ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 2000);
    EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 2000 / 5 / 128) << "a fifth is spread evenly";
    caught += 1 - std::pow(1 - kRate, counts[77]);
    caught_evenly += 1 - std::pow(1 - kRate, 2000.0 / 128);
  }
  EXPECT_GE(caught / kRuns, 0.8);
  EXPECT_LT(caught_evenly / kRuns, 0.25) << "what evenness alone would catch";
}

TEST_F(TrialHistoryTest, KnowsSiblingsByTheirLines) {
  const EvaluateReport wrong = judge("wrong.cpp", "incorrect");
  const auto archive = archive::Archive::open_reader(world_.context().places.archive);
  ASSERT_TRUE(archive) << archive.error().text();
  const auto failures_of = [&](const task::Solution& candidate) {
    const auto history = trial_history(*archive, wrong.request.definition, wrong.request.workloads, candidate);
    EXPECT_TRUE(history) << history.error().text();
    return std::pair(history->front().of_siblings.failures, history->front().of_operator.failures);
  };
  EXPECT_EQ(failures_of(wrong.request.candidate), std::pair(std::int64_t{0}, std::int64_t{0}))
      << "its own are not history";
  task::Solution edited = wrong.request.candidate;
  edited.sources.front().content = "int a = 1;\nint b = 2;\nint c = 3;\n";
  EXPECT_EQ(failures_of(edited), std::pair(std::int64_t{0}, std::int64_t{1}));
  edited.sources.front().content += wrong.request.candidate.sources.front().content;
  EXPECT_EQ(failures_of(edited).first + failures_of(edited).second, 1);
}

TEST_F(TrialHistoryTest, WorkloadsOfAlikeSizeAreOneRegime) {
  const EvaluateReport report = judge("plain.cpp", "cost=90");
  const auto archive = archive::Archive::open_reader(world_.context().places.archive);
  ASSERT_TRUE(archive) << archive.error().text();
  std::vector<task::Workload> workloads = report.request.workloads;
  workloads[0].axes = {{"n", 9}};
  workloads[1].axes = {{"n", 15}};
  workloads[2].axes = {{"n", 16}};
  const auto history = trial_history(*archive, report.request.definition, workloads, report.request.candidate);
  ASSERT_TRUE(history) << history.error().text();
  EXPECT_EQ((*history)[0].regime, (*history)[1].regime);
  EXPECT_NE((*history)[1].regime, (*history)[2].regime);
}

}  // namespace
}  // namespace assay::service
