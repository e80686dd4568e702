#include <assay/operators/gdn_prefill/operator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <assay/base/json.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/gdn_prefill/workload_for_test.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/workload.hpp>

namespace assay::operators::gdn_prefill {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream stream(std::string(ASSAY_SOURCE_DIR "/datasets/") + path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

struct Shipped {
  const Operator* op;
  const char* dataset;
  std::size_t workloads;
};

class GdnPrefillShipped : public testing::TestWithParam<Shipped> {
 protected:
  [[nodiscard]] static std::string name() { return std::string(GetParam().op->definition_name()); }
  [[nodiscard]] static task::Definition definition() {
    const std::string path = GetParam().dataset + ("/definitions/gdn/" + name()) + ".json";
    auto loaded = task::load_definition(read_file(path), path);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().text();
    return loaded.value();
  }
};

TEST_P(GdnPrefillShipped, IsFoundByItsName) { EXPECT_EQ(find_operator(name()), GetParam().op); }

TEST_P(GdnPrefillShipped, TheDefinitionHasTheInterface) {
  const auto fits = GetParam().op->check_interface(definition());
  EXPECT_TRUE(fits.has_value()) << fits.error().text();
}

TEST_P(GdnPrefillShipped, ADefinitionWithAnotherInterfaceIsRefused) {
  task::Definition changed = definition();
  changed.inputs[kCuSeqlens].second.dtype = tensor::DType::int32;
  const auto refused = GetParam().op->check_interface(changed);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("/inputs/cu_seqlens/dtype"));
}

TEST_P(GdnPrefillShipped, TheWorkloadsFitTheDefinition) {
  const task::Definition fits = definition();
  std::istringstream lines(read_file(GetParam().dataset + ("/workloads/gdn/" + name()) + ".jsonl"));
  std::set<std::string> uuids;
  for (std::string line; std::getline(lines, line);) {
    const auto json = base::parse_json(line, "workloads");
    ASSERT_TRUE(json.has_value());
    const auto trace = task::decode_trace(*json);
    ASSERT_TRUE(trace.value.has_value()) << line;
    EXPECT_EQ(trace.value->definition, name());
    const auto checked = task::check_workload(fits, trace.value->workload);
    EXPECT_TRUE(checked.has_value()) << checked.error().text();
    EXPECT_EQ(*task::find(trace.value->workload.axes, "len_cu_seqlens"),
              *task::find(trace.value->workload.axes, "num_seqs") + 1);
    uuids.insert(trace.value->workload.uuid);
  }
  EXPECT_EQ(uuids.size(), GetParam().workloads);
}

INSTANTIATE_TEST_SUITE_P(Both, GdnPrefillShipped,
                         testing::Values(Shipped{&contest_instance(), "contest", 100},
                                         Shipped{&small_instance(), "small", 6}),
                         [](const auto& instance_of) { return std::string(instance_of.param.dataset); });

TEST(GdnPrefill, TheLeastWorkIsWhatMustBeMoved) {
  auto trial = usual_trial(contest_instance(), make_workload({100, 0, 28}));
  const Work work = contest_instance().least_work(trial.axes(), trial.const_arguments());
  // A token: q and k 2 KiB, v and output 4 KiB, a and b 32 bytes. A state has 512 KiB: three are written, two are read.
  EXPECT_EQ(work.bytes, 128 * (2048 + 4096 + 32) + 5 * 524288 + 4 * 8 + 64);
  EXPECT_EQ(work.operations, 128.0 * 8 * 3 * 2 * 128 * 128);
}

TEST(GdnPrefill, TheOfficialRuleIsTheContestsDefault) {
  for (const std::size_t output : {kOutput, kNewState}) {
    EXPECT_EQ(contest_instance().official_rule(output).absolute, 1e-2);
    EXPECT_EQ(contest_instance().official_rule(output).relative, 1e-2);
    EXPECT_EQ(contest_instance().official_rule(output).matched_ratio, 1);
  }
}

TEST(GdnPrefill, RulesHoldEachHeadByItself) {
  EXPECT_EQ(contest_instance().rule(kOutput).norm_axes, 2);
  EXPECT_EQ(contest_instance().rule(kNewState).norm_axes, 3);
}

TEST(GdnPrefillDeathTest, ThereAreTwoOutputs) {
  EXPECT_DEATH(static_cast<void>(contest_instance().rule(2)), "kOutputCount");
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
