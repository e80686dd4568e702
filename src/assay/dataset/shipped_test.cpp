#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <assay/dataset/dataset.hpp>
#include <assay/task/expression.hpp>

// The dataset that the repository ships keeps the rules that it is read by.
namespace assay::dataset {
namespace {

constexpr std::string_view kDefinition = "gdn_decode_qk4_v8_d128_k_last";
constexpr std::string_view kBrokenByTheContest = "topk <= max_num_pages * page_size";

Dataset shipped() { return Dataset::open(os::Path(ASSAY_SOURCE_DIR) / "datasets/contest").value(); }

TEST(ShippedDataset, HasAllWorkloadsOfTheContest) {
  const auto workloads = shipped().workloads(kDefinition);
  ASSERT_TRUE(workloads.has_value()) << workloads.error().text();
  EXPECT_EQ(workloads->size(), 54U);
  std::set<std::string> uuids;
  for (const task::Workload& workload : *workloads) {
    uuids.insert(workload.uuid);
  }
  EXPECT_EQ(uuids.size(), 54U);
}

TEST(ShippedDataset, EveryDefinitionLoadsAndItsConstraintsOverAxesHold) {
  const Dataset dataset = shipped();
  for (const std::string& name : dataset.definition_names()) {
    const auto definition = dataset.definition(name);
    ASSERT_TRUE(definition.has_value()) << definition.error().text();
    const auto workloads = dataset.workloads(name);
    ASSERT_TRUE(workloads.has_value()) << workloads.error().text();
    for (const task::Workload& workload : *workloads) {
      const auto axes = task::resolve_axes(*definition, workload.axes);
      ASSERT_TRUE(axes.has_value()) << axes.error().text();
      for (const auto& [tensor, spec] : definition->inputs) {
        EXPECT_EQ(task::resolve_shape(spec, *axes).has_value(), spec.shape.has_value()) << tensor;
      }
      for (const std::string& constraint : definition->constraints) {
        const auto value = task::evaluate_expression(constraint, *axes);
        // Constraints on the contents of inputs are no integer expressions; those on axes must be true. The contest's
        // own workloads do not keep one of its constraints: most of its top-k rows are shorter than topk.
        EXPECT_TRUE(!value || *value == 1 || constraint == kBrokenByTheContest) << constraint;
      }
    }
  }
}

TEST(ShippedDataset, EverySolutionLoads) {
  const Dataset dataset = shipped();
  std::size_t count = 0;
  for (const std::string& name : dataset.definition_names()) {
    const auto solutions = dataset.solutions(name);
    ASSERT_TRUE(solutions.has_value()) << solutions.error().text();
    count += solutions->size();
  }
  EXPECT_GE(count, 1U);
}

}  // namespace
}  // namespace assay::dataset
