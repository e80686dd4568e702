#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/task/test_documents.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::sample_definition;
using testing::sample_workload;

std::string fault(const Workload& workload, const Definition& definition = sample_definition()) {
  const auto result = check_workload(definition, workload);
  return result ? std::string() : result.error().text();
}

TEST(Workload, AcceptsWhatFits) {
  EXPECT_EQ(fault(sample_workload("w", 3)), "");
  Workload file = sample_workload("w", 3);
  file.inputs[0].second = SafetensorsInput{"blob/x.safetensors", "x"};
  EXPECT_EQ(fault(file), "");
}

TEST(Workload, NamesTheAxisAndTheRemedy) {
  Workload workload = sample_workload("w-7", 3);
  workload.axes[0].first = "row";
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("workload w-7: /axes/row:"), HasSubstr("did you mean \"rows\"?"),
                                     HasSubstr("and 1 more")));
  workload.axes.clear();
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("/axes:"), HasSubstr("\"rows\""), HasSubstr("add it")));
  workload = sample_workload("w", 3);
  workload.axes.emplace_back("columns", 64);
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("/axes/columns:"), HasSubstr("constant 64"), HasSubstr("remove it")));
  EXPECT_THAT(fault(sample_workload("w", 0)), AllOf(HasSubstr("/axes/rows:"), HasSubstr("at least 1")));
}

TEST(Workload, AxesThatNoMemoryHoldsAreRefused) {
  for (const std::int64_t rows : {std::int64_t{1} << 45U, std::int64_t{1} << 62U, std::int64_t{9223372036854775807}}) {
    EXPECT_THAT(fault(sample_workload("w", rows)),
                AllOf(HasSubstr("workload w: /axes:"), HasSubstr("no memory holds")));
  }
}

TEST(Workload, NamesTheInputAndTheRemedy) {
  Workload workload = sample_workload("w", 3);
  workload.inputs.pop_back();
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("/inputs:"), HasSubstr("\"scale\""), HasSubstr("add it")));
  workload = sample_workload("w", 3);
  workload.inputs.emplace_back("a/b", RandomInput{});
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("/inputs/a~1b:"), HasSubstr("remove it")));
  workload = sample_workload("w", 3);
  workload.inputs[0].second = ScalarInput{std::int64_t{1}};
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("/inputs/x:"), HasSubstr("tensor")));
  workload = sample_workload("w", 3);
  workload.inputs[1].second = RandomInput{};
  EXPECT_THAT(fault(workload), AllOf(HasSubstr("/inputs/scale:"), HasSubstr("must be a scalar")));
}

TEST(Workload, ScalarsHaveTheKindOfTheirDtype) {
  using tensor::DType;
  const auto fits = [](DType dtype, ScalarInput scalar) {
    Definition definition = sample_definition();
    definition.inputs[1].second.dtype = dtype;
    Workload workload = sample_workload("w", 3);
    workload.inputs[1].second = scalar;
    return fault(workload, definition).empty();
  };
  EXPECT_TRUE(fits(DType::float32, {1.5}));
  EXPECT_TRUE(fits(DType::bfloat16, {std::int64_t{1}}));
  EXPECT_FALSE(fits(DType::float32, {true}));
  EXPECT_TRUE(fits(DType::int32, {std::int64_t{1}}));
  EXPECT_FALSE(fits(DType::int32, {1.0}));
  EXPECT_FALSE(fits(DType::int32, {true}));
  EXPECT_TRUE(fits(DType::boolean, {false}));
  EXPECT_FALSE(fits(DType::boolean, {std::int64_t{1}}));
}

TEST(Axes, JoinConstantsAndVariablesInTheDefinitionsOrder) {
  const auto values = resolve_axes(sample_definition(), {{"rows", 5}});
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(*values, (AxisValues{{"rows", 5}, {"columns", 64}}));
  EXPECT_TRUE(resolve_axes(sample_definition(), {{"columns", 64}, {"rows", 5}}).has_value());
}

TEST(Axes, FaultsAreTold) {
  const Definition definition = sample_definition();
  EXPECT_EQ(resolve_axes(definition, {}).error().code, "axis.missing");
  EXPECT_EQ(resolve_axes(definition, {{"rows", 5}, {"columns", 32}}).error().code, "axis.contradiction");
  EXPECT_EQ(resolve_axes(definition, {{"rows", -5}}).error().code, "axis.value");
  const auto unknown = resolve_axes(definition, {{"rows", 5}, {"column", 64}});
  EXPECT_EQ(unknown.error().code, "axis.unknown");
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean \"columns\"?"));
  EXPECT_EQ(unknown.error().owner, base::Owner::input);
}

TEST(Shape, FollowsTheNamesOfItsAxes) {
  const Definition definition = sample_definition();
  const AxisValues values = resolve_axes(definition, {{"rows", 5}}).value();
  EXPECT_EQ(resolve_shape(definition.inputs[0].second, values).value(), (tensor::Shape{5, 64}));
  EXPECT_EQ(resolve_shape(definition.outputs[1].second, values).value(), tensor::Shape{});
  EXPECT_EQ(resolve_shape(definition.inputs[1].second, values).error().code, "shape.scalar");
  EXPECT_EQ(resolve_shape(definition.inputs[0].second, {{"rows", 5}}).error().code, "axis.missing");
}

}  // namespace
}  // namespace assay::task
