#include <assay/service/context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;

class ContextTest : public testing::Test {
 protected:
  // Puts a shell script in the judge's place.
  void judge_says(const std::string& script) {
    const os::Path judge = world_.context().places.judge;
    world_.write(judge, "#!/bin/sh\n" + script);
    std::filesystem::permissions(judge, std::filesystem::perms::owner_all);
  }

  rehearsal::World world_;
};

TEST_F(ContextTest, OpensTheDataset) {
  EXPECT_EQ(open_dataset(world_.context())->definition_names(), std::vector<std::string>{"scale"});
}

TEST_F(ContextTest, ADatasetThatDoesNotExistIsAnError) {
  world_.context().places.dataset = world_.path("nowhere");
  const auto dataset = open_dataset(world_.context());
  ASSERT_FALSE(dataset);
  EXPECT_EQ(dataset.error().owner, base::Owner::input);
  EXPECT_THAT(dataset.error().text(), HasSubstr("nowhere"));
}

TEST_F(ContextTest, WithoutADatasetTheErrorTellsWhereItLooked) {
  world_.context().places.dataset.clear();
  world_.context().places.dataset_candidates = {"/a/datasets/contest", "/b/datasets/contest"};
  const auto dataset = open_dataset(world_.context());
  ASSERT_FALSE(dataset);
  EXPECT_THAT(dataset.error().message,
              AllOf(HasSubstr("--dataset"), HasSubstr("/a/datasets/contest"), HasSubstr("/b/datasets/contest")));
}

TEST_F(ContextTest, AMissingJudgeSaysHowToGetIt) {
  const auto machine = describe_machine(world_.context().places, "cpu");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().owner, base::Owner::environment);
  EXPECT_THAT(machine.error().message, AllOf(HasSubstr("assay-judge"), HasSubstr("./dev build")));
}

TEST_F(ContextTest, TheJudgeDescribesTheMachine) {
  judge_says(R"([ "$*" = "--describe --json --device cpu" ] && echo '{"cpu": "x86"}')");
  const auto machine = describe_machine(world_.context().places, "cpu");
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ((*machine)["cpu"], "x86");
}

TEST_F(ContextTest, AJudgeThatFailsOrBabblesIsReported) {
  judge_says("echo cannot do it >&2; exit 3");
  EXPECT_THAT(describe_machine(world_.context().places, "cpu").error().message,
              AllOf(HasSubstr("exit code 3"), HasSubstr("cannot do it")));
  judge_says("echo hello");
  EXPECT_EQ(describe_machine(world_.context().places, "cpu").error().owner, base::Owner::internal);
  judge_says("echo '[1]'");
  EXPECT_EQ(describe_machine(world_.context().places, "cpu").error().owner, base::Owner::internal);
}

TEST_F(ContextTest, TheFingerprintIsTheJudgesEnvironment) {
  Surroundings surroundings;
  surroundings.working_directory = world_.path("");
  surroundings.program_directory = world_.context().places.judge.parent_path();
  const Context context = make_context(surroundings);
  judge_says(R"(echo '{"environment": {"device": "'$4'", "cores": 2}}')");
  const auto fingerprint = context.fingerprint("simulated:3");
  ASSERT_TRUE(fingerprint) << fingerprint.error().text();
  EXPECT_THAT(*fingerprint, testing::ElementsAre(testing::Pair("device", "simulated:3"), testing::Pair("cores", "2")));
  judge_says("echo '{}'");
  EXPECT_EQ(context.fingerprint("simulated:3").error().owner, base::Owner::internal);
}

TEST_F(ContextTest, TheRealRunnerReportsAJudgeThatDies) {
  Surroundings surroundings;
  surroundings.working_directory = world_.path("");
  surroundings.program_directory = world_.context().places.judge.parent_path();
  const Context context = make_context(surroundings);
  judge_says("exit 9");
  task::EvaluationRequest request;
  request.id = "e-1";
  const auto bundle = context.make_runner()->run(request, world_.path("spool"), {});
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "judge.died");
}

}  // namespace
}  // namespace assay::service
