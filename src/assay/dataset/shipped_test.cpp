#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <assay/base/json.hpp>
#include <assay/dataset/check.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/task/constraint_summary.hpp>

// The dataset that the repository ships keeps the rules that it is read by.
namespace assay::dataset {
namespace {

constexpr std::string_view kDefinition = "gdn_decode_qk4_v8_d128_k_last";

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
    }
    // A constraint on the contents of inputs is unknown here; docs/dialects.md lists those that are known to be violated.
    for (const task::ConstraintSummary& summary : task::summarise_constraints(*definition, *workloads)) {
      const bool known = summary.constraint == "topk <= max_num_pages * page_size";
      EXPECT_TRUE(summary.violated == 0 || known) << task::describe(summary);
      EXPECT_TRUE(summary.unknown == 0 || summary.constraint.find("item()") != std::string::npos)
          << task::describe(summary);
    }
  }
}

TEST(ShippedDataset, EveryDefinitionIsSound) {
  const DatasetCheck check = check_dataset(shipped(), BlobDemand::optional);
  for (const DefinitionCheck& one : check.definitions) {
    EXPECT_THAT(one.problems, ::testing::IsEmpty()) << one.name << ": " << one.problems.front().text();
    EXPECT_GT(one.workloads, 0U) << one.name;
    EXPECT_EQ(one.lengths_generated, 0U) << one.name << ": lengths/ has every workload of a definition";
  }
}

TEST(ShippedDataset, HasTheLengthsOfTheContest) {
  struct Facts {
    const char* file;
    std::size_t workloads;
    std::size_t rows;
    std::int64_t longest;
  };
  // 128 captured batches; 23 more whose rows are matched to them; 100 prompts packed in one tensor each.
  for (const Facts& facts : {Facts{"dsa_paged/dsa_topk_indexer_fp8_h64_d128_topk2048_ps64", 128, 1879, 5806},
                             Facts{"dsa_paged/dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64", 23, 120, 2048},
                             Facts{"gdn/gdn_prefill_qk4_v8_d128_k_last", 100, 0, 8192}}) {
    const auto text = os::read_file(shipped().root() / "lengths" / (std::string(facts.file) + ".jsonl"));
    ASSERT_TRUE(text) << text.error().text();
    std::size_t workloads = 0;
    std::size_t rows = 0;
    std::int64_t longest = 0;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      const auto json = base::parse_json(line, facts.file).value();
      ++workloads;
      rows += json["lengths"].size();
      for (const auto& length : json["lengths"]) {
        longest = std::max(longest, length.get<std::int64_t>());
      }
    }
    EXPECT_EQ(workloads, facts.workloads) << facts.file;
    EXPECT_TRUE(facts.rows == 0 || rows == facts.rows) << facts.file << ": " << rows;
    EXPECT_LE(longest, facts.longest) << facts.file;
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
