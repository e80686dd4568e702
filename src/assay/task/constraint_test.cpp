#include <assay/task/constraint.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace assay::task {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A paged operator: two axes that must agree with what index tensors hold, a scalar, and optional inputs.
Definition paged() {
  Definition definition;
  definition.name = "paged";
  definition.op_type = "attention";
  definition.axes = {{"batch_size", {Axis::Kind::variable, 0}},
                     {"len_indptr", {Axis::Kind::variable, 0}},
                     {"num_kv_indices", {Axis::Kind::variable, 0}},
                     {"page_size", {Axis::Kind::constant, 64}},
                     {"topk", {Axis::Kind::constant, 2048}}};
  const auto spec = [](std::vector<std::string> shape, tensor::DType dtype) {
    return TensorSpec{std::move(shape), dtype};
  };
  definition.inputs = {{"kv_indptr", spec({"len_indptr"}, tensor::DType::int32)},
                       {"table", spec({"batch_size", "page_size"}, tensor::DType::int32)},
                       {"total", spec({}, tensor::DType::int64)},
                       {"scale", {std::nullopt, tensor::DType::float32}},
                       {"window", {std::nullopt, tensor::DType::int32}},
                       {"mask", spec({"batch_size"}, tensor::DType::boolean)}};
  definition.inputs.back().second.optional = true;
  return definition;
}

Workload paged_workload() {
  Workload workload;
  workload.uuid = "w";
  workload.axes = {{"batch_size", 2}, {"len_indptr", 3}, {"num_kv_indices", 7}};
  workload.inputs = {{"kv_indptr", RandomInput{}},
                     {"table", RandomInput{}},
                     {"total", RandomInput{}},
                     {"scale", ScalarInput{0.5}},
                     {"window", ScalarInput{std::int64_t{-1}}}};
  return workload;
}

std::optional<ElementValue> read_element(std::string_view tensor, std::int64_t flat) {
  if (tensor == "kv_indptr") {
    return ElementValue{std::vector<std::int64_t>{0, 3, 7}[static_cast<std::size_t>(flat)]};
  }
  if (tensor == "table") {
    return ElementValue{flat};
  }
  return tensor == "total" ? std::optional<ElementValue>(std::int64_t{7}) : std::nullopt;
}

ConstraintAnswer answer_to(const std::string& constraint) {
  return evaluate_constraint(constraint, paged(), paged_workload(), read_element);
}

// "holds", "violated", or "unknown: why".
std::string state_of(const std::string& constraint) {
  const ConstraintAnswer result = answer_to(constraint);
  EXPECT_EQ(result.state == ConstraintState::holds, result.explanation.empty()) << constraint;
  return result.state == ConstraintState::unknown ? "unknown: " + result.explanation
                                                  : std::string(to_string(result.state));
}

TEST(Constraint, OverAxesIsAlwaysEvaluated) {
  EXPECT_EQ(state_of("len_indptr == batch_size + 1"), "holds");
  EXPECT_EQ(state_of("page_size in (16, 32, 64, 128)"), "holds");
  EXPECT_EQ(state_of("page_size not in [16, 32]"), "holds");
  EXPECT_EQ(state_of("1 <= page_size // batch_size <= 32"), "holds");
  EXPECT_EQ(state_of("page_size / batch_size == 32.0"), "holds");
  EXPECT_EQ(state_of("topk <= batch_size * page_size"), "violated");
  EXPECT_EQ(state_of("not batch_size"), "violated");
  EXPECT_EQ(state_of("batch_size % 2 or page_size"), "holds");
  EXPECT_EQ(state_of("page_size >= (32 if batch_size < 64 else 128)"), "holds");
  EXPECT_EQ(state_of("min(batch_size, 5) == 2 and max(batch_size, 5, 3) == 5 and abs(-3) == 3"), "holds");
}

TEST(Constraint, ThatReadsTensorsIsEvaluatedWithTheirContents) {
  EXPECT_EQ(state_of("num_kv_indices == kv_indptr[-1].item()"), "holds");
  EXPECT_EQ(state_of("num_kv_indices == kv_indptr[-1]"), "holds");
  EXPECT_EQ(state_of("kv_indptr[0] == 0 and kv_indptr[1].item() < kv_indptr[2].item()"), "holds");
  EXPECT_EQ(state_of("num_kv_indices == total.item()"), "holds");
  EXPECT_EQ(state_of("num_kv_indices == total"), "holds");
  EXPECT_EQ(state_of("table[1][3].item() == 67"), "holds");
  EXPECT_EQ(state_of("table[-1][-1] == 127"), "holds");
  EXPECT_EQ(state_of("max(kv_indptr) == 7 and kv_indptr.max().item() == 7 and kv_indptr.min() == 0"), "holds");
  EXPECT_EQ(state_of("kv_indptr.sum() == 10 and sum(kv_indptr) == 10"), "holds");
  EXPECT_EQ(state_of("num_kv_indices + 1 == kv_indptr[-1].item()"), "violated");
}

TEST(Constraint, ThatReadsTensorsIsUnknownWithoutTheirContents) {
  const ConstraintAnswer result =
      evaluate_constraint("num_kv_indices == kv_indptr[-1].item()", paged(), paged_workload());
  EXPECT_EQ(result.state, ConstraintState::unknown);
  EXPECT_THAT(result.explanation, AllOf(HasSubstr("not evaluated"), HasSubstr("\"kv_indptr\" are not at hand")));
  EXPECT_EQ(evaluate_constraint("batch_size == 3 and kv_indptr[0] == 0", paged(), paged_workload()).state,
            ConstraintState::violated)
      << "what the first part decides needs no contents";
}

TEST(Constraint, ShapesAreKnownWithoutContents) {
  for (const char* constraint :
       {"table.shape[0] == batch_size", "table.shape[-1] == page_size", "len(kv_indptr) == len_indptr",
        "table.ndim == 2", "table.dim() == 2", "table.size(1) == 64", "table.numel() == 128", "table.shape == (2, 64)",
        "len(table.shape) == 2", "table.size()[0] == 2"}) {
    EXPECT_EQ(evaluate_constraint(constraint, paged(), paged_workload()).state, ConstraintState::holds) << constraint;
  }
}

TEST(Constraint, ScalarsHaveTheWorkloadsValueAndAbsentInputsAreNone) {
  EXPECT_EQ(state_of("scale == 0.5 and window == -1"), "holds");
  EXPECT_EQ(state_of("mask is None or batch_size == 100"), "holds");
  EXPECT_EQ(state_of("mask is not None"), "violated");
  EXPECT_EQ(state_of("table is not None and scale is not None"), "holds");
  EXPECT_EQ(state_of("mask in ('dense', None)"), "holds");
  EXPECT_EQ(state_of("'a' == 'a' and 'a' != \"b\""), "holds");
}

TEST(Constraint, AViolationNamesTheValues) {
  EXPECT_EQ(answer_to("topk <= batch_size * page_size").explanation,
            "does not hold with topk = 2048, batch_size = 2, page_size = 64");
  EXPECT_EQ(answer_to("num_kv_indices + 1 == kv_indptr[-1].item()").explanation,
            "does not hold with num_kv_indices = 7, kv_indptr[2] = 7");
  EXPECT_EQ(answer_to("1 == 2").explanation, "does not hold");
}

TEST(Constraint, WhatIsNotKnownIsNeverTakenForTrue) {
  EXPECT_THAT(state_of("kv_layout == 'HND'"), HasSubstr("\"kv_layout\" is neither an axis nor an input"));
  EXPECT_THAT(state_of("table.dtype == 1"), HasSubstr(".dtype is beyond"));
  EXPECT_THAT(state_of("all(x > 0 for x in table)"), HasSubstr("unknown"));
  EXPECT_THAT(state_of("kv_indptr[1:] == 0"), HasSubstr("unknown"));
  EXPECT_THAT(state_of("kv_indptr[9] == 0"), HasSubstr("outside of 3 elements"));
  EXPECT_THAT(state_of("page_size // (batch_size - 2) == 1"), HasSubstr("divides by zero"));
  EXPECT_THAT(state_of("mask + 1 == 2"), HasSubstr("None is used as a number"));
  EXPECT_THAT(state_of("table"), HasSubstr("truth of the whole tensor"));
  EXPECT_THAT(state_of("table[0].item() == 1"), HasSubstr("used as one number"));
  EXPECT_THAT(state_of("table == kv_indptr"), HasSubstr("whole tensors"));
  EXPECT_THAT(state_of("print(batch_size)"), HasSubstr("print()"));
  EXPECT_THAT(state_of("table.transpose(0) == 1"), HasSubstr(".transpose()"));
  EXPECT_THAT(state_of("9223372036854775807 + batch_size > 0"), HasSubstr("64 bits"));
  EXPECT_THAT(state_of("1j == 2"), HasSubstr("beyond what is read"));
  EXPECT_THAT(state_of("r'a' == 'a'"), HasSubstr("beyond what is read"));
  EXPECT_THAT(state_of("'''a''' == 'a'"), HasSubstr("beyond what is read"));
  EXPECT_THAT(state_of("max(()) == 1"), HasSubstr("nothing to choose from"));
  EXPECT_THAT(state_of("not (mask + 1)"), HasSubstr("unknown"));
}

TEST(Constraint, AllAreAnsweredInTheirOrder) {
  Definition definition = paged();
  definition.constraints = {"batch_size == 2", "topk < 1", "kv_indptr[-1].item() == num_kv_indices"};
  const auto answers = evaluate_constraints(definition, paged_workload());
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].state, ConstraintState::holds);
  EXPECT_EQ(answers[1].state, ConstraintState::violated);
  EXPECT_EQ(answers[2].state, ConstraintState::unknown);
  EXPECT_EQ(answers[2].constraint, "kv_indptr[-1].item() == num_kv_indices");
}

TEST(Constraint, AMissingAxisMakesEverythingUnknown) {
  Workload incomplete = paged_workload();
  incomplete.axes.pop_back();
  const auto result = evaluate_constraint("batch_size == 2", paged(), incomplete);
  EXPECT_EQ(result.state, ConstraintState::unknown);
  EXPECT_THAT(result.explanation, HasSubstr("num_kv_indices"));
}

}  // namespace
}  // namespace assay::task
