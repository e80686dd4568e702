#include <assay/operators/interface.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <functional>

namespace assay::operators {
namespace {

using testing::HasSubstr;
using enum tensor::DType;

Interface meant() {
  return {
      .name = "scale_rows",
      .axes = {{"rows", std::nullopt}, {"columns", 64}},
      .inputs = {{"x", {std::vector<std::string>{"rows", "columns"}, float32}}, {"factor", {std::nullopt, float32}}},
      .outputs = {{"y", {std::vector<std::string>{"rows", "columns"}, bfloat16}}}};
}

task::Definition definition() {
  task::Definition result;
  result.name = "scale_rows";
  result.axes = {{"rows", {task::Axis::Kind::variable, 0, std::nullopt}},
                 {"columns", {task::Axis::Kind::constant, 64, std::nullopt}}};
  const std::vector<std::string> shape{"rows", "columns"};
  result.inputs = {{"x", {shape, float32, std::nullopt}}, {"factor", {std::nullopt, float32, std::nullopt}}};
  result.outputs = {{"y", {shape, bfloat16, std::nullopt}}};
  return result;
}

TEST(Interface, TheMeantDefinitionIsAccepted) { EXPECT_TRUE(check_interface(meant(), definition()).has_value()); }

TEST(Interface, WhatIsForPeopleAndTheOrderOfAxesDoNotCount) {
  task::Definition changed = definition();
  changed.description = "Another description.";
  changed.tags = {"status:verified"};
  changed.reference = "def run(x, factor): ...";
  changed.axes[0].second.description = "Rows.";
  std::swap(changed.axes[0], changed.axes[1]);
  EXPECT_TRUE(check_interface(meant(), changed).has_value());
}

struct Change {
  const char* name;
  std::function<void(task::Definition&)> apply;
  const char* pointer;
  const char* is;
  const char* must_be;
};

class InterfaceChange : public testing::TestWithParam<Change> {};

TEST_P(InterfaceChange, IsRefusedWithItsPlace) {
  task::Definition changed = definition();
  GetParam().apply(changed);
  const auto result = check_interface(meant(), changed);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_EQ(result.error().code, "operator.interface");
  EXPECT_THAT(result.error().message, HasSubstr("definition scale_rows: " + std::string(GetParam().pointer) + ": is "));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().is));
  EXPECT_THAT(result.error().message, HasSubstr(std::string("has ") + GetParam().must_be));
}

INSTANTIATE_TEST_SUITE_P(
    All, InterfaceChange,
    testing::Values(
        Change{"name", [](auto& d) { d.name = "other"; }, "/name", "other", "scale_rows"},
        Change{"axis_value", [](auto& d) { d.axes[1].second.value = 32; }, "/axes/columns", "the constant 32",
               "the constant 64"},
        Change{"axis_kind", [](auto& d) { d.axes[1].second.kind = task::Axis::Kind::variable; }, "/axes/columns",
               "a variable axis", "the constant 64"},
        Change{"axis_constant", [](auto& d) { d.axes[0].second = {task::Axis::Kind::constant, 8, std::nullopt}; },
               "/axes/rows", "the constant 8", "a variable axis"},
        Change{"axis_missing", [](auto& d) { d.axes.pop_back(); }, "/axes/columns", "missing", "the constant 64"},
        Change{"axis_more", [](auto& d) { d.axes.emplace_back("a/b", task::Axis{}); }, "/axes/a~1b", "an axis",
               "no axis of this name"},
        Change{"input_order", [](auto& d) { std::swap(d.inputs[0], d.inputs[1]); }, "/inputs", "[factor, x]",
               "[x, factor] in this order"},
        Change{"input_name", [](auto& d) { d.inputs[0].first = "z"; }, "/inputs", "[z, factor]", "[x, factor]"},
        Change{"input_missing", [](auto& d) { d.inputs.pop_back(); }, "/inputs", "[x]", "[x, factor]"},
        Change{"input_dtype", [](auto& d) { d.inputs[0].second.dtype = float16; }, "/inputs/x/dtype", "float16",
               "float32"},
        Change{"input_shape",
               [](auto& d) { std::reverse(d.inputs[0].second.shape->begin(), d.inputs[0].second.shape->end()); },
               "/inputs/x/shape", "[columns, rows]", "[rows, columns]"},
        Change{"scalar_as_tensor", [](auto& d) { d.inputs[1].second.shape = std::vector<std::string>{}; },
               "/inputs/factor/shape", "is []", "null (a scalar)"},
        Change{"output_scalar", [](auto& d) { d.outputs[0].second.shape.reset(); }, "/outputs/y/shape",
               "null (a scalar)", "[rows, columns]"},
        Change{"output_dtype", [](auto& d) { d.outputs[0].second.dtype = float32; }, "/outputs/y/dtype", "float32",
               "bfloat16"}),
    [](const auto& instance_of) { return instance_of.param.name; });

}  // namespace
}  // namespace assay::operators
