#include <assay/service/judge_evaluator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

class JudgeEvaluatorTest : public testing::Test {
 protected:
  JudgeEvaluatorTest() {
    const auto dataset = dataset::Dataset::open(world_.context().places.dataset).value();
    configuration_.name = "test";
    configuration_.definition = dataset.definition("scale").value();
    configuration_.workloads = dataset.workloads("scale").value();
    configuration_.baseline = dataset.solution("plain").value();
    configuration_.policy = promote::built_in_policy("quick").value();
  }

  std::vector<task::Solution> solutions(int count) const {
    std::vector<task::Solution> result(static_cast<std::size_t>(count), configuration_.baseline);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].sources.front().content += "int n" + std::to_string(i) + ";";
    }
    return result;
  }

  rehearsal::World world_;
  archive::Archive archive_ = archive::Archive::open_writer(world_.context().places.archive).value();
  control::CampaignConfiguration configuration_;
};

TEST_F(JudgeEvaluatorTest, PreparesByBuildingEachOnceAndKeepsNoBundle) {
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  ASSERT_TRUE(evaluator.prepare(solutions(9)));
  std::set<std::string> ids;
  for (const task::EvaluationRequest& request : world_.record().requests) {
    EXPECT_EQ(request.stage, task::Stage::build);
    EXPECT_FALSE(request.incumbent);
    EXPECT_THAT(request.id, testing::MatchesRegex("build-[0-9a-f]+"));
    ids.insert(request.id);
  }
  EXPECT_EQ(ids.size(), 9U);
  EXPECT_EQ(world_.record().requests.size(), 9U);
  EXPECT_THAT(os::list_directory(archive_.spool()).value(), testing::IsEmpty());
}

TEST_F(JudgeEvaluatorTest, PreparingNothingTouchesNothing) {
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  ASSERT_TRUE(evaluator.prepare({}));
  EXPECT_THAT(os::list_directory(archive_.spool()).value(), testing::IsEmpty());
  EXPECT_THAT(world_.record().requests, testing::IsEmpty());
}

TEST_F(JudgeEvaluatorTest, AFailedBuildIsLeftToTheEvaluation) {
  auto broken = solutions(2);
  broken[0].sources.front().content = "not_built";
  broken[1].sources.front().content = "judge.error";
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  EXPECT_TRUE(evaluator.prepare(broken));
}

TEST_F(JudgeEvaluatorTest, ReportsEachBuild) {
  std::vector<double> done;
  world_.context().on_progress = [&](const execute::Progress& progress) {
    EXPECT_EQ(progress.total, 5);
    done.push_back(progress.done);
  };
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  ASSERT_TRUE(evaluator.prepare(solutions(5)));
  EXPECT_THAT(done, testing::ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(JudgeEvaluatorTest, AnEvaluationArrivesInTheSpool) {
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  task::EvaluationRequest request;
  request.id = "e-1";
  request.definition = configuration_.definition;
  request.workloads = configuration_.workloads;
  request.candidate = configuration_.baseline;
  const auto bundle = evaluator.evaluate(request);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(*bundle, archive_.spool() / "e-1");
  EXPECT_TRUE(std::filesystem::exists(*bundle / "manifest.json"));
}

TEST_F(JudgeEvaluatorTest, TheJudgeIsToldWhatTheArchiveKnows) {
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  task::EvaluationRequest request;
  request.id = "e-1";
  request.definition = configuration_.definition;
  request.workloads = configuration_.workloads;
  request.candidate = solutions(1).front();
  request.candidate.sources.front().content += " // incorrect";
  const auto bundle = evaluator.evaluate(request);
  ASSERT_TRUE(bundle) << bundle.error().text();
  ASSERT_TRUE(archive_.ingest(*bundle, "", std::nullopt));
  request.id = "e-2";
  request.candidate = configuration_.baseline;
  ASSERT_TRUE(evaluator.evaluate(request));
  const task::EvaluationRequest& asked = world_.record().requests.back();
  ASSERT_EQ(asked.replays.size(), 1U);
  EXPECT_EQ(asked.replays[0].evaluation, "e-1");
  EXPECT_EQ(asked.kept_inputs, 1);
  EXPECT_THAT(asked.trials_on, testing::IsEmpty()) << "no trials were asked for";
  request.id = "e-3";
  request.trials = 400;
  ASSERT_TRUE(evaluator.evaluate(request));
  EXPECT_EQ(world_.record().requests.back().trials_on.size(), configuration_.workloads.size());
}

TEST_F(JudgeEvaluatorTest, HasAClockUnlessTheDeviceHas) {
  configuration_.device = "cpu";
  JudgeEvaluator evaluator(world_.context(), archive_, configuration_);
  const auto first = evaluator.lap();
  ASSERT_TRUE(first);
  EXPECT_GE(first->count(), 0);
  EXPECT_LT(*evaluator.lap(), std::chrono::seconds(5)) << "since the last lap";
  configuration_.device = "simulated:3";
  EXPECT_FALSE(evaluator.lap());
}

}  // namespace
}  // namespace assay::service
