#include <assay/task/runnable.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/task/flashinfer_documents.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::pointers;

Definition from_flashinfer(const Json& json) { return decode_definition(json, Dialect::flashinfer).value.value(); }

Workload workload_with(const std::vector<std::string>& inputs) {
  Workload workload{"w-1", {{"rows", 4}}, {}, {}};
  for (const std::string& name : inputs) {
    workload.inputs.emplace_back(name, RandomInput{});
  }
  return workload;
}

TEST(Runnable, WhatFlashinferBenchAcceptsCanBeRun) {
  EXPECT_THAT(obstacles(testing::sample_definition()), IsEmpty());
  EXPECT_TRUE(check_runnable(testing::sample_definition(), {testing::sample_workload("w", 3)}));
}

TEST(Runnable, EveryObstacleHasItsPlace) {
  const Definition definition = from_flashinfer(testing::flashinfer_definition());
  EXPECT_THAT(pointers(obstacles(definition)), ElementsAre("/axes/page/value", "/inputs/codes/shape/1"))
      << "optional arguments of unknown types can be left out";
  EXPECT_THAT(obstacles(from_flashinfer(testing::runnable_flashinfer_definition())), IsEmpty());
}

TEST(Runnable, ARequiredArgumentNeedsATypeWithStorage) {
  Json json = testing::runnable_flashinfer_definition();
  json["inputs"]["mask"]["optional"] = false;
  json["outputs"]["weight"] = {{"shape", {"rows"}}, {"dtype", "unknown"}};
  EXPECT_THAT(pointers(obstacles(from_flashinfer(json))), ElementsAre("/inputs/mask/dtype", "/outputs/weight/dtype"));
}

TEST(Runnable, WhatIsWrittenOverAnInputMustFitIt) {
  Json json = testing::runnable_flashinfer_definition();
  json["outputs"]["v"]["dtype"] = "float32";
  EXPECT_THAT(pointers(obstacles(from_flashinfer(json))), ElementsAre("/outputs/v"));
  json["outputs"]["v"] = {{"shape", {"rows"}}, {"dtype", "bfloat16"}};
  EXPECT_THAT(pointers(obstacles(from_flashinfer(json))), ElementsAre("/outputs/v"));
  json["outputs"] = Json::object();
  EXPECT_THAT(pointers(obstacles(from_flashinfer(json))), ElementsAre("/outputs"));
}

TEST(Runnable, AWorkloadMayLeaveOutOptionalInputsButIsNotRunThen) {
  const Definition definition = from_flashinfer(testing::runnable_flashinfer_definition());
  const Workload workload = workload_with({"v", "codes", "seed"});
  EXPECT_TRUE(check_workload(definition, workload));
  EXPECT_FALSE(check_workload(definition, workload_with({"v", "codes"}))) << "seed is required";
  EXPECT_THAT(obstacles(definition, workload), ::testing::SizeIs(4));
  const auto refused = check_runnable(definition, {workload});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "definition.not_runnable");
  EXPECT_EQ(refused.error().owner, base::Owner::input);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("workload w-1"), HasSubstr("mask"), HasSubstr("and 3 more")));
}

TEST(Runnable, TheErrorNamesTheDefinitionAndThePlace) {
  const auto refused = check_runnable(from_flashinfer(testing::flashinfer_definition()), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("definition blend_in_place_d16 cannot be run"), HasSubstr("/axes/page/value")));
}

TEST(Runnable, AnAxisWithoutAValueResolvesToNothing) {
  const Definition definition = from_flashinfer(testing::flashinfer_definition());
  const auto axes = resolve_axes(definition, {{"rows", 3}});
  ASSERT_FALSE(axes);
  EXPECT_EQ(axes.error().code, "axis.unresolved");
  Workload workload = workload_with({"v", "codes", "seed"});
  workload.axes.emplace_back("page", 3);
  const auto checked = check_workload(definition, workload);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, AllOf(HasSubstr("/axes/page"), HasSubstr("without a value")));
}

TEST(Runnable, AScalarThatAWorkloadHasNoWordForIsRefused) {
  const Definition definition = from_flashinfer(testing::runnable_flashinfer_definition());
  Workload workload = workload_with({"v", "codes", "seed"});
  workload.inputs.emplace_back("eps", ScalarInput{0.5});
  EXPECT_TRUE(check_workload(definition, workload));
  workload.inputs.emplace_back("layout", ScalarInput{std::int64_t{1}});
  const auto checked = check_workload(definition, workload);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("/inputs/layout/value"));
}

}  // namespace
}  // namespace assay::task
