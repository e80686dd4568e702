#include <assay/operators/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <assay/base/json.hpp>
#include <assay/operators/gdn_decode/operator.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators {
namespace {

constexpr const char* kName = "gdn_decode_qk4_v8_d128_k_last";

std::string read_file(const std::string& path) {
  std::ifstream stream(ASSAY_SOURCE_DIR "/datasets/contest/" + path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

task::Definition contest_definition() {
  const std::string path = std::string("definitions/gdn/") + kName + ".json";
  auto definition = task::load_definition(read_file(path), path);
  EXPECT_TRUE(definition.has_value()) << definition.error().text();
  return definition.value();
}

TEST(Operators, EachIsFoundByItsName) {
  EXPECT_THAT(operator_names(),
              testing::UnorderedElementsAre(
                  kName, "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64",
                  "dsa_sparse_attention_h4_ckv32_kpe8_topk64_ps16", "dsa_topk_indexer_fp8_h64_d128_topk2048_ps64",
                  "dsa_topk_indexer_fp8_h8_d32_topk64_ps16", "gdn_prefill_qk4_v8_d128_k_last",
                  "gdn_prefill_qk2_v4_d16_k_last", "moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048",
                  "moe_fp8_block_scale_ds_routing_topk4_ng4_kg2_e4_h256_i256"));
  for (const std::string_view name : operator_names()) {
    const Operator* found = find_operator(name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->definition_name(), name);
    EXPECT_EQ(find_operator(name), found) << "one object for ever";
  }
}

TEST(Operators, AnUnknownNameIsNotFound) {
  EXPECT_EQ(find_operator(""), nullptr);
  EXPECT_EQ(find_operator("gdn_decode"), nullptr);
  EXPECT_EQ(find_operator("gdn_decode_qk4_v8_d128_k_lastx"), nullptr);
}

TEST(GdnDecode, TheContestDefinitionHasTheInterface) {
  const auto result = find_operator(kName)->check_interface(contest_definition());
  EXPECT_TRUE(result.has_value()) << result.error().text();
}

TEST(GdnDecode, ADefinitionOfThatNameWithAnotherInterfaceIsRefused) {
  task::Definition definition = contest_definition();
  definition.inputs[3].second.dtype = tensor::DType::bfloat16;
  const auto dtype = find_operator(kName)->check_interface(definition);
  ASSERT_FALSE(dtype.has_value());
  EXPECT_THAT(dtype.error().message, testing::HasSubstr("/inputs/state/dtype"));
  definition = contest_definition();
  for (auto& [name, axis] : definition.axes) {
    if (name == "head_size") {
      axis.value = 64;
    }
  }
  const auto axis = find_operator(kName)->check_interface(definition);
  ASSERT_FALSE(axis.has_value());
  EXPECT_THAT(axis.error().message, testing::HasSubstr("/axes/head_size"));
}

TEST(GdnDecode, TheContestWorkloadsFitTheDefinition) {
  const task::Definition definition = contest_definition();
  std::istringstream lines(read_file(std::string("workloads/gdn/") + kName + ".jsonl"));
  std::set<std::string> uuids;
  std::map<std::int64_t, int> batch_sizes;
  for (std::string line; std::getline(lines, line);) {
    const auto json = base::parse_json(line, "workloads");
    ASSERT_TRUE(json.has_value());
    const auto trace = task::decode_trace(*json);
    ASSERT_TRUE(trace.value.has_value()) << line;
    const task::Workload& workload = trace.value->workload;
    EXPECT_EQ(trace.value->definition, kName);
    const auto fits = task::check_workload(definition, workload);
    EXPECT_TRUE(fits.has_value()) << fits.error().text();
    uuids.insert(workload.uuid);
    ++batch_sizes[*task::find(workload.axes, "batch_size")];
  }
  EXPECT_EQ(uuids.size(), 54U);
  EXPECT_THAT(batch_sizes,
              testing::ElementsAre(testing::Pair(1, 10), testing::Pair(4, 8), testing::Pair(8, 7), testing::Pair(16, 7),
                                   testing::Pair(32, 7), testing::Pair(48, 7), testing::Pair(64, 8)));
}

TEST(GdnDecode, RulesHoldEachHeadByItself) {
  EXPECT_EQ(gdn_decode::instance().rule(0).norm_axes, 3);
  EXPECT_EQ(gdn_decode::instance().rule(1).norm_axes, 2);
}

TEST(GdnDecodeDeathTest, ThereAreTwoOutputs) {
  EXPECT_DEATH(static_cast<void>(gdn_decode::instance().rule(2)), "kOutputCount");
}

}  // namespace
}  // namespace assay::operators
