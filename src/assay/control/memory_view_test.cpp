#include <assay/control/memory_view.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

TEST(MemoryView, ShowsStatusStandingAndWhetherEvidenceHolds) {
  Memory memory;
  task::Hypothesis hypothesis;
  hypothesis.mechanism = "fewer barriers";
  hypothesis.claimed = "supported, I am sure";
  testing::must(follow(HypothesisStated{1, "codex", hypothesis}, memory));
  testing::must(follow(HypothesisStated{2, "codex", hypothesis}, memory));
  memory.hypotheses[0].candidate = 5;
  task::HypothesisTest test;
  test.evaluation = "e";
  test.environment = "here";
  test.effect = task::MeasuredEffect{0.02, 0.01, 0.03};
  test.status = task::HypothesisStatus::falsified;
  testing::must(follow(HypothesisTested{1, 5, test}, "e", memory));
  testing::must(follow(EvidenceRecorded{{task::EvidenceKind::noise_floor, "all", 0.01, "", "e", "there"}}, memory));
  const base::Json json = view(memory, 0);
  EXPECT_EQ(json["hypotheses"][0]["status"], "falsified");
  EXPECT_EQ(json["hypotheses"][0]["test"]["evaluation"], "e");
  EXPECT_EQ(json["hypotheses"][1]["status"], "open");
  EXPECT_TRUE(json["hypotheses"][1]["test"].is_null());
  EXPECT_EQ(json["routes"][0]["candidate"], 5);
  EXPECT_EQ(json["routes"][0]["standing"], "other_environment");
  EXPECT_EQ(json["evidence"][0]["holds"], true);
  EXPECT_EQ(json["hypotheses"][0]["stated"]["claimed"], "supported, I am sure");
}

}  // namespace
}  // namespace assay::control
