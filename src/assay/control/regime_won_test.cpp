#include <assay/control/regime_won.hpp>

#include <gtest/gtest.h>

namespace assay::control {
namespace {

class RegimeWonTest : public ::testing::Test {
 protected:
  RegimeWonTest() {
    for (const char* uuid : {"a", "b", "c"}) {
      workloads_.emplace_back().uuid = uuid;
    }
    regimes_ = {{"small", {0, 1}, 0, 0.4}, {"large", {2}, 2, 0.6}};
  }

  std::string won(const std::vector<std::pair<std::string, std::optional<double>>>& uppers) {
    task::Evaluation evaluation;
    for (const auto& [uuid, upper] : uppers) {
      task::WorkloadTiming& timing = evaluation.timings.emplace_back();
      timing.uuid = uuid;
      timing.log_ratio_upper = upper;
    }
    return regime_won(evaluation, workloads_, regimes_);
  }

  std::vector<task::Workload> workloads_;
  std::vector<promote::Regime> regimes_;
};

TEST_F(RegimeWonTest, IsWhereTheSureGainIsLargest) {
  EXPECT_EQ(won({{"a", -0.1}, {"c", -0.3}}), "large");
  EXPECT_EQ(won({{"b", -0.4}, {"c", -0.3}}), "small");
}

TEST_F(RegimeWonTest, AGainThatMayBeNoneWinsNothing) {
  EXPECT_EQ(won({{"a", 0.0}, {"c", 0.2}, {"b", std::nullopt}}), "");
  EXPECT_EQ(won({}), "");
}

TEST_F(RegimeWonTest, AWorkloadOfNoRegimeWinsNothing) {
  regimes_ = {{"small", {0}, 0, 1}};
  EXPECT_EQ(won({{"c", -0.3}, {"stranger", -1.0}}), "");
}

}  // namespace
}  // namespace assay::control
