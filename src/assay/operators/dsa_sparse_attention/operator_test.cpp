#include <assay/operators/dsa_sparse_attention/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <assay/base/json.hpp>
#include <assay/operators/dsa_sparse_attention/float32_for_test.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

std::string shipped_file(const Dimensions& dimensions, const std::string& kind, const std::string& extension) {
  const std::string dataset = dimensions.topk == kContest.topk ? "contest" : "small";
  std::ifstream stream(ASSAY_SOURCE_DIR "/datasets/" + dataset + "/" + kind + "/dsa_paged/" +
                           std::string(dimensions.definition) + extension,
                       std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << dimensions.definition << extension;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

task::Definition shipped_definition(const Dimensions& dimensions) {
  auto definition = task::load_definition(shipped_file(dimensions, "definitions", ".json"), "definition");
  EXPECT_TRUE(definition.has_value()) << definition.error().text();
  return definition.value();
}

TEST(DsaSparseAttention, IsFoundByTheNamesOfBothDefinitions) {
  for (const Operator* op : instances()) {
    EXPECT_EQ(find_operator(op->definition_name()), op);
  }
  EXPECT_EQ(instances().size(), 2U);
  EXPECT_EQ(&operator_of(kContest), &contest_instance());
  EXPECT_EQ(small_instance().definition_name(), kSmall.definition);
}

TEST(DsaSparseAttention, TheShippedDefinitionsHaveTheInterface) {
  for (const Dimensions& dimensions : {kContest, kSmall}) {
    const auto result = operator_of(dimensions).check_interface(shipped_definition(dimensions));
    EXPECT_TRUE(result.has_value()) << result.error().text();
  }
  const auto swapped = small_instance().check_interface(shipped_definition(kContest));
  EXPECT_FALSE(swapped.has_value());
}

TEST(DsaSparseAttention, ADefinitionOfThatNameWithAnotherInterfaceIsRefused) {
  task::Definition definition = shipped_definition(kContest);
  definition.inputs[kSparseIndices].second.dtype = tensor::DType::int64;
  const auto dtype = contest_instance().check_interface(definition);
  ASSERT_FALSE(dtype.has_value());
  EXPECT_THAT(dtype.error().message, testing::HasSubstr("/inputs/sparse_indices/dtype"));
  definition = shipped_definition(kContest);
  std::swap(definition.inputs[kCkvCache], definition.inputs[kKpeCache]);
  EXPECT_FALSE(contest_instance().check_interface(definition).has_value()) << "the order is that of the call";
}

TEST(DsaSparseAttention, TheShippedWorkloadsFitTheirDefinitions) {
  std::map<std::int64_t, int> rows;
  for (const Dimensions& dimensions : {kContest, kSmall}) {
    const task::Definition definition = shipped_definition(dimensions);
    std::istringstream lines(shipped_file(dimensions, "workloads", ".jsonl"));
    std::set<std::string> uuids;
    for (std::string line; std::getline(lines, line);) {
      const auto json = base::parse_json(line, "workloads");
      ASSERT_TRUE(json.has_value());
      const auto trace = task::decode_trace(*json);
      ASSERT_TRUE(trace.value.has_value()) << line;
      const task::Workload& workload = trace.value->workload;
      EXPECT_EQ(trace.value->definition, dimensions.definition);
      const auto fits = task::check_workload(definition, workload);
      EXPECT_TRUE(fits.has_value()) << fits.error().text();
      EXPECT_TRUE(uuids.insert(workload.uuid).second) << workload.uuid;
      EXPECT_EQ(workload_scalar(workload, "sm_scale", 0), static_cast<double>(static_cast<float>(dimensions.sm_scale)));
      if (dimensions.topk == kContest.topk) {
        ++rows[*task::find(workload.axes, "num_tokens")];
        EXPECT_EQ(*task::find(workload.axes, "num_pages"), 8462);
      }
    }
    EXPECT_EQ(uuids.size(), dimensions.topk == kContest.topk ? 23U : 5U);
  }
  EXPECT_THAT(rows, testing::ElementsAre(testing::Pair(1, 1), testing::Pair(2, 8), testing::Pair(6, 3),
                                         testing::Pair(7, 3), testing::Pair(8, 8)));
}

Work work_of(const Dimensions& dimensions, std::int64_t pages, const std::vector<std::int64_t>& lengths) {
  const task::Workload workload =
      make_workload(dimensions, static_cast<std::int64_t>(lengths.size()), pages, "work", lengths);
  OperatorTrial trial(operator_of(dimensions), workload);
  operator_of(dimensions).make_generator(1)->fill(workload, 0, trial.arguments());
  return operator_of(dimensions).least_work(trial.axes(), trial.const_arguments());
}

TEST(DsaSparseAttention, TheLeastWorkIsThatOfTheNamedTokens) {
  // 1,152 bytes and 34,816 operations a token, and a row's 43,072 bytes of queries, indices and outputs.
  const Work two = work_of(kContest, 4, {2});
  EXPECT_DOUBLE_EQ(two.bytes, 2 * 1152 + 43072);
  EXPECT_DOUBLE_EQ(two.operations, 2 * 34816);
  const Work largest = work_of(kContest, 200, {288, 4, 1884, 21, 136, 2048, 42, 335});
  EXPECT_NEAR(largest.bytes, 5.8258e6, 50) << "what the published roofline has for this workload";
  EXPECT_NEAR(largest.operations, 0.1657e9, 5e4);
}

TEST(DsaSparseAttention, ATokenThatManyNameIsReadOnce) {
  OperatorTrial trial(small_instance(), make_workload(kSmall, 3, 2, "shared"));
  const CallView call(kSmall, trial.arguments());
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t slot = 0; slot < kSmall.topk; ++slot) {
      call.set_index(row, slot, slot < 10 ? 7 : kNoToken);
    }
  }
  const Work work = small_instance().least_work(trial.axes(), trial.const_arguments());
  EXPECT_DOUBLE_EQ(work.bytes, 80 + 3 * (4 * (64 + 64 + 16 + 4) + 256));
  EXPECT_DOUBLE_EQ(work.operations, 30 * 4 * 2 * (2 * 32 + 8));
}

TEST(DsaSparseAttention, RulesHoldEachHeadByItself) {
  EXPECT_EQ(contest_instance().rule(kOutput).norm_axes, 2);
  EXPECT_TRUE(std::isinf(contest_instance().rule(kLse).norm)) << "a logarithm has no norm to be held to";
  EXPECT_EQ(contest_instance().official_rule(kOutput).matched_ratio, 1);
  EXPECT_DEATH(static_cast<void>(contest_instance().rule(2)), "kOutputCount");
}

}  // namespace
}  // namespace assay::operators::dsa_sparse_attention
