#include <assay/operators/arguments.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>
#include <cmath>

namespace assay::operators {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Arguments : public testing::Test {
 protected:
  std::array<std::int32_t, 3> numbers_ = {4, -1, 7};
  std::vector<ConstArgument> inputs_ = {
      tensor::ConstView{"ids", tensor::DType::int32, {3}, std::as_bytes(std::span(numbers_))}, Scalar(2.5)};
};

TEST_F(Arguments, ATensorIsReadWhateverItsType) {
  EXPECT_THAT(read_tensor(inputs_, 0, "ids", tensor::DType::int32, 3).value(), ElementsAre(4, -1, 7));
  EXPECT_EQ(tensor_bytes(inputs_, 0, "ids", tensor::DType::int32, 3)->size(), 12U);
  EXPECT_EQ(read_scalar(inputs_, 1, "scale").value(), 2.5);
}

TEST_F(Arguments, WhatDoesNotFitIsAnInternalErrorThatNamesTheArgument) {
  const auto message = [](const auto& result) { return result.has_value() ? std::string() : result.error().message; };
  EXPECT_THAT(message(tensor_bytes(inputs_, 0, "ids", tensor::DType::int64, 3)),
              HasSubstr("input 0 (ids) must be a tensor of 3 elements of int64"));
  EXPECT_THAT(message(tensor_bytes(inputs_, 0, "ids", tensor::DType::int32, 4)), HasSubstr("of 4 elements"));
  EXPECT_THAT(message(tensor_bytes(inputs_, 1, "scale", tensor::DType::int32, 1)), HasSubstr("(scale)"));
  EXPECT_THAT(message(tensor_bytes(inputs_, 2, "none", tensor::DType::int32, 1)), HasSubstr("(none)"));
  EXPECT_THAT(message(read_scalar(inputs_, 0, "ids")), HasSubstr("input 0 (ids) must be a scalar"));
  EXPECT_EQ(read_scalar(inputs_, 2, "none").error().owner, base::Owner::internal);
}

TEST_F(Arguments, WhatAGeneratorFilledIsSeenUnchanged) {
  std::array<float, 2> values = {1, 2};
  std::vector<Argument> arguments = {
      tensor::View{"x", tensor::DType::float32, {2}, std::as_writable_bytes(std::span(values))}, Scalar(true)};
  elements_of<float>(arguments, 0)[1] = 5;
  const std::vector<ConstArgument> seen = read_only(arguments);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_THAT(read_tensor(seen, 0, "x", tensor::DType::float32, 2).value(), ElementsAre(1, 5));
  EXPECT_EQ(std::get<bool>(std::get<Scalar>(seen[1])), true);
}

TEST(ChangedScale, IsAnotherFloat32WhateverTheKind) {
  EXPECT_EQ(std::get<double>(changed_scale(Scalar(0.1))), static_cast<double>(static_cast<float>(0.1 * 1.5)));
  EXPECT_EQ(std::get<double>(changed_scale(Scalar(std::int64_t{2}))), 3);
  EXPECT_EQ(std::get<double>(changed_scale(Scalar(0.0))), 0.25);
}

TEST(AxisValue, IsThereAndNotNegative) {
  const task::AxisValues axes = {{"n", 3}, {"m", -1}};
  EXPECT_EQ(axis_value(axes, "n").value(), 3U);
  EXPECT_FALSE(axis_value(axes, "m").has_value());
  EXPECT_FALSE(axis_value(axes, "k").has_value());
}

TEST(WorkloadScalar, IsWhatAFloat32Holds) {
  task::Workload workload;
  workload.inputs = {{"scale", task::ScalarInput{0.1}}, {"x", task::RandomInput{}}};
  EXPECT_EQ(workload_scalar(workload, "scale", 9), static_cast<double>(0.1F));
  EXPECT_EQ(workload_scalar(workload, "x", 9), 9);
  EXPECT_EQ(workload_scalar(workload, "y", 0.1), static_cast<double>(0.1F));
}

TEST(ResizeLarge, KeepsMemoryThatIsLargeEnough) {
  ExpectedValues values;
  resize_large(values, std::size_t{1} << 20U);
  const double* place = values.data();
  values[0] = 1;
  resize_large(values, 10);
  EXPECT_EQ(values.size(), 10U);
  resize_large(values, std::size_t{1} << 20U);
  EXPECT_EQ(values.data(), place);
}

}  // namespace
}  // namespace assay::operators
