#include <assay/operators/dsa_topk_indexer/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include <assay/base/json.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>
#include <assay/task/codec.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

std::string read_dataset_file(const std::string& path) {
  std::ifstream stream(ASSAY_SOURCE_DIR "/datasets/" + path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

task::Definition definition_of(const Operator& op, const std::string& dataset) {
  const std::string path = dataset + "/definitions/dsa_paged/" + std::string(op.definition_name()) + ".json";
  auto definition = task::load_definition(read_dataset_file(path), path);
  EXPECT_TRUE(definition.has_value()) << definition.error().text();
  return definition.value();
}

std::vector<task::Workload> workloads_of(const Operator& op, const std::string& dataset) {
  std::istringstream lines(
      read_dataset_file(dataset + "/workloads/dsa_paged/" + std::string(op.definition_name()) + ".jsonl"));
  std::vector<task::Workload> workloads;
  for (std::string line; std::getline(lines, line);) {
    const auto trace = task::decode_trace(base::parse_json(line, "workloads").value());
    EXPECT_TRUE(trace.value.has_value()) << line;
    EXPECT_EQ(trace.value->definition, op.definition_name());
    workloads.push_back(trace.value->workload);
  }
  return workloads;
}

TEST(DsaTopkIndexer, BothAreFoundByName) {
  EXPECT_EQ(find_operator("dsa_topk_indexer_fp8_h64_d128_topk2048_ps64"), &contest());
  EXPECT_EQ(find_operator("dsa_topk_indexer_fp8_h8_d32_topk64_ps16"), &small());
}

TEST(DsaTopkIndexer, DefinitionsHaveTheInterface) {
  for (const auto& [op, dataset] : {std::pair(&contest(), "contest"), std::pair(&small(), "small")}) {
    task::Definition definition = definition_of(*op, dataset);
    EXPECT_EQ(definition.op_type, "dsa_paged");
    const auto result = op->check_interface(definition);
    EXPECT_TRUE(result.has_value()) << result.error().text();
    definition.inputs[1].second.dtype = tensor::DType::float8_e4m3fn;
    EXPECT_FALSE(op->check_interface(definition).has_value());
  }
}

TEST(DsaTopkIndexer, WorkloadsFitTheirDefinitions) {
  for (const auto& [op, dataset, count] :
       {std::tuple(&contest(), "contest", 128U), std::tuple(&small(), "small", 5U)}) {
    const task::Definition definition = definition_of(*op, dataset);
    std::set<std::string> uuids;
    for (const task::Workload& workload : workloads_of(*op, dataset)) {
      const auto fits = task::check_workload(definition, workload);
      EXPECT_TRUE(fits.has_value()) << fits.error().text();
      uuids.insert(workload.uuid);
    }
    EXPECT_EQ(uuids.size(), count);
  }
}

TEST(DsaTopkIndexer, DerivedLengthsOfTheContestHaveAsManyLongRowsAsTheRealOnes) {
  std::size_t with_long_row = 0;
  for (const task::Workload& workload : workloads_of(contest(), "contest")) {
    const auto lengths = row_lengths(kContest, workload);
    const auto longer = std::count_if(lengths.begin(), lengths.end(), [](auto length) { return length > 2048; });
    EXPECT_LE(longer, 1);
    with_long_row += longer > 0 ? 1U : 0U;
  }
  EXPECT_EQ(with_long_row, 59U);
}

TEST(DsaTopkIndexer, SmallWorkloadsRunEndToEnd) {
  for (const task::Workload& workload : workloads_of(small(), "small")) {
    OperatorTrial trial = official_trial(small(), workload, 3);
    const auto expected = trial.reference();
    EXPECT_NE(trial.judge(expected), "");
    write_expected(trial, expected);
    EXPECT_EQ(trial.judge(expected), "");
    EXPECT_EQ(trial.judge_officially(expected), "");
  }
}

TEST(DsaTopkIndexer, TheLeastWorkIsThatOfRowsWhoseScoresMatter) {
  const auto work_of = [](std::vector<std::int64_t> lengths) {
    OperatorTrial trial = official_trial(contest(), make_workload(kContest, std::move(lengths), "work"), 1);
    return contest().least_work(trial.axes(), trial.const_arguments());
  };
  // One length, one table entry for each page begun, 2048 ids.
  const Work copied = work_of({100, 0});
  EXPECT_EQ(copied.operations, 0);
  EXPECT_EQ(copied.bytes, 2 * 4 + 2 * 4 + 2 * 2048 * 4);
  const Work scored = work_of({2161});
  EXPECT_EQ(scored.bytes, 4 + 34 * 4 + 2048 * 4 + 64 * 128 + 64 * 4 + 2161 * 132);
  EXPECT_EQ(scored.operations, 2161.0 * (64 * (2 * 128 + 3) + 1));
}

TEST(DsaTopkIndexer, PagesThatRowsShareAreReadOnce) {
  task::Workload workload = make_workload(kSmall, {100, 100}, "shared");
  workload.axes[2].second = 7;
  OperatorTrial trial(small(), workload);
  small().make_generator(1)->fill(workload, 0, trial.arguments());
  const double bytes = small().least_work(trial.axes(), trial.const_arguments()).bytes;
  EXPECT_LE(bytes, 2 * (4 + 7 * 4 + 64 * 4 + 256 + 32) + 7 * 16 * 36);
  EXPECT_GT(bytes, 2 * (4 + 7 * 4 + 64 * 4 + 256 + 32) + 6 * 16 * 36);
}

TEST(DsaTopkIndexer, TheOfficialRuleIsTheUsualOne) {
  EXPECT_EQ(contest().official_rule(0).absolute, 1e-2);
  EXPECT_EQ(contest().official_rule(0).relative, 1e-2);
  EXPECT_EQ(contest().official_rule(0).matched_ratio, 1);
}

TEST(DsaTopkIndexerDeathTest, ThereIsOneOutput) { EXPECT_DEATH(static_cast<void>(contest().rule(1)), "output == 0"); }

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
