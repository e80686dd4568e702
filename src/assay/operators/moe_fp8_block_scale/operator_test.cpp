#include <assay/operators/moe_fp8_block_scale/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <assay/base/json.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>
#include <assay/task/codec.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

std::string read_dataset(const std::string& path) {
  std::ifstream stream(ASSAY_SOURCE_DIR "/datasets/" + path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

task::Definition shipped_definition(const std::string& dataset, std::string_view name) {
  const std::string path = dataset + "/definitions/moe/" + std::string(name) + ".json";
  auto definition = task::load_definition(read_dataset(path), path);
  EXPECT_TRUE(definition.has_value()) << definition.error().text();
  return definition.value();
}

std::vector<task::Workload> shipped_workloads(const std::string& dataset, std::string_view name) {
  std::istringstream lines(read_dataset(dataset + "/workloads/moe/" + std::string(name) + ".jsonl"));
  std::vector<task::Workload> workloads;
  for (std::string line; std::getline(lines, line);) {
    const auto json = base::parse_json(line, "workloads");
    EXPECT_TRUE(json.has_value());
    const auto trace = task::decode_trace(*json);
    EXPECT_TRUE(trace.value.has_value()) << line;
    EXPECT_EQ(trace.value->definition, name);
    workloads.push_back(trace.value->workload);
  }
  return workloads;
}

TEST(MoeOperator, BothAreFoundByName) {
  EXPECT_EQ(find_operator("moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048"), &contest());
  EXPECT_EQ(find_operator("moe_fp8_block_scale_ds_routing_topk4_ng4_kg2_e4_h256_i256"), &small());
}

TEST(MoeOperator, ShippedDefinitionsHaveTheInterfaceAndTheirWorkloadsFit) {
  for (const auto& [dataset, op] : {std::pair{"contest", &contest()}, {"small", &small()}}) {
    const task::Definition definition = shipped_definition(dataset, op->definition_name());
    const auto result = op->check_interface(definition);
    EXPECT_TRUE(result.has_value()) << result.error().text();
    std::set<std::string> uuids;
    for (const task::Workload& workload : shipped_workloads(dataset, op->definition_name())) {
      const auto fits = task::check_workload(definition, workload);
      EXPECT_TRUE(fits.has_value()) << fits.error().text();
      uuids.insert(workload.uuid);
    }
    EXPECT_EQ(uuids.size(), op == &contest() ? 19U : 5U);
  }
}

TEST(MoeOperator, TheContestHasTheseSizes) {
  std::map<std::int64_t, int> tokens;
  for (const task::Workload& workload : shipped_workloads("contest", contest().definition_name())) {
    ++tokens[*task::find(workload.axes, "seq_len")];
  }
  for (const std::int64_t size : {1, 7, 14, 15, 16, 32, 52, 59, 62, 80, 901, 11948, 14107}) {
    EXPECT_EQ(tokens[size], 1) << size;
  }
}

TEST(MoeOperator, AnotherBlockCountIsRefused) {
  task::Definition definition = shipped_definition("small", small().definition_name());
  for (auto& [name, axis] : definition.axes) {
    axis.value = name == "num_hidden_blocks" ? 4 : axis.value;
  }
  const auto result = small().check_interface(definition);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, testing::HasSubstr("/axes/num_hidden_blocks"));
}

TEST(MoeOperator, EachTokenIsHeldToTheRuleByItself) {
  EXPECT_EQ(small().rule(0).norm_axes, 1);
  EXPECT_EQ(contest().official_rule(0).matched_ratio, 0.9);
  EXPECT_EQ(contest().official_rule(0).absolute, 1);
  EXPECT_EQ(contest().official_rule(0).relative, 0.3);
}

TEST(MoeOperatorDeathTest, ThereIsOneOutput) { EXPECT_DEATH(static_cast<void>(small().rule(1)), "output == 0"); }

TEST(MoeLeastWork, CountsTheExpertsAndRowsThatThereAre) {
  // All tokens to one local expert.
  OperatorTrial one = make_stressed(Kind::one_expert, 10);
  const Work work = small().least_work(one.axes(), one.const_arguments());
  const double expert = 512 * 256 + 256 * 256 + (4 * 2 + 2 * 2) * 4;
  EXPECT_EQ(work.bytes, expert + 10 * 16 * 4 + 16 * 2 + 10 * (256 + 2 * 4) + 10 * 256 * 2);
  EXPECT_EQ(work.operations, 10 * 2 * (512.0 * 256 + 256 * 256));
  // No token is local: scores in, zeros out.
  OperatorTrial none = make_stressed(Kind::no_local_expert, 10);
  const Work idle = small().least_work(none.axes(), none.const_arguments());
  EXPECT_EQ(idle.bytes, 10 * 16 * 4 + 16 * 2 + 10 * 256 * 2);
  EXPECT_EQ(idle.operations, 0);
}

TEST(MoeLeastWork, AnExpertOfTheContestIsFortyFourMegabytes) {
  EXPECT_EQ(kContest.gemm1_weights() + kContest.gemm2_weights(), 44040192U);
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
