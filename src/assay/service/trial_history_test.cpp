#include <assay/service/trial_history.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include <assay/service/evaluate.hpp>
#include <assay/service/rehearsal.hpp>

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
