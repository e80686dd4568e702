#include <assay/task/constraint_summary.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::task {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The indexer of the contest: each row may take 2,048 tokens, and small pools have fewer.
Definition indexer() {
  Definition definition;
  definition.name = "indexer";
  definition.op_type = "dsa";
  definition.axes = {{"pages", {Axis::Kind::variable, 0}},
                     {"page_size", {Axis::Kind::constant, 64}},
                     {"topk", {Axis::Kind::constant, 2048}}};
  definition.inputs = {{"lengths", {std::vector<std::string>{"pages"}, tensor::DType::int32}}};
  definition.constraints = {"topk <= pages * page_size", "lengths[0].item() == pages", "page_size == 64"};
  return definition;
}

std::vector<Workload> pool_workloads() {
  std::vector<Workload> all;
  for (const std::int64_t pages : {8, 31, 32, 91}) {
    all.push_back({"w-" + std::to_string(pages), {{"pages", pages}}, {{"lengths", RandomInput{}}}, {}});
  }
  return all;
}

TEST(ConstraintSummary, CountsAndNamesTheFirst) {
  const auto summaries = summarise_constraints(indexer(), pool_workloads());
  ASSERT_EQ(summaries.size(), 3U);
  EXPECT_EQ(summaries[0].workloads, 4U);
  EXPECT_EQ(summaries[0].violated, 2U);
  EXPECT_EQ(summaries[0].unknown, 0U);
  EXPECT_EQ(summaries[1].unknown, 4U);
  EXPECT_EQ(summaries[2].violated + summaries[2].unknown, 0U);
  EXPECT_EQ(
      describe(summaries[0]),
      "the constraint \"topk <= pages * page_size\" is violated in 2 of 4 workloads (first: w-8: it does not hold "
      "with topk = 2048, pages = 8, page_size = 64)");
  EXPECT_THAT(describe(summaries[1]), HasSubstr("was not evaluated in 4 of 4 workloads (first: w-8"));
  EXPECT_EQ(describe(summaries[2]), "the constraint \"page_size == 64\" holds in all 4 workloads");
}

TEST(ConstraintSummary, ReadsContentsWhereTheyAreAtHand) {
  const ElementSource contents = [](const Workload& workload) -> ElementReader {
    if (workload.uuid == "w-91") {
      return {};
    }
    return [pages = workload.axes.front().second](std::string_view, std::int64_t) -> std::optional<ElementValue> {
      return ElementValue{pages == 8 ? std::int64_t{0} : pages};
    };
  };
  const auto summary = summarise_constraints(indexer(), pool_workloads(), contents)[1];
  EXPECT_EQ(summary.violated, 1U);
  EXPECT_EQ(summary.unknown, 1U);
  EXPECT_THAT(describe(summary), HasSubstr("is violated in 1 of 4 workloads"));
  EXPECT_THAT(describe(summary), HasSubstr("and was not evaluated in 1 of 4 workloads (first: w-91"));
}

TEST(ConstraintSummary, WithoutConstraintsThereIsNothingToSay) {
  Definition definition = indexer();
  definition.constraints.clear();
  EXPECT_THAT(summarise_constraints(definition, pool_workloads()), IsEmpty());
}

}  // namespace
}  // namespace assay::task
