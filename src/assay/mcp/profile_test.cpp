#include <assay/mcp/profile.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::mcp {
namespace {

using base::Json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ProfileTest : public ::testing::Test {
 protected:
  ProfileTest() {
    for (const char* uuid : {"secret-a", "secret-b"}) {
      configuration_.workloads.emplace_back().uuid = uuid;
    }
    configuration_.workloads[0].axes = {{"m", 77777}};
    state_.regimes = {{"small", {0}, 0, 0.25}, {"large", {1}, 1, 0.75}};
    evaluation_.timer_floor_ns = 500;
  }
  task::WorkloadTiming& timed(const char* uuid, double candidate_ns) {
    task::WorkloadTiming& timing = evaluation_.timings.emplace_back();
    timing.uuid = uuid;
    timing.candidate_ns = candidate_ns;
    return timing;
  }
  [[nodiscard]] Json profile() const { return profile_of(evaluation_, configuration_, state_); }

  control::CampaignConfiguration configuration_;
  control::CampaignState state_;
  task::Evaluation evaluation_;
};

TEST_F(ProfileTest, HasLatenciesFloorsAndWhatLimitsThem) {
  task::WorkloadTiming& small = timed("secret-a", 4000);
  small.incumbent_ns = 5000;
  small.floor_ns = 1000;
  small.floor_limit = "memory";
  timed("secret-b", 9000);
  const Json told = profile();
  EXPECT_EQ(told["timer_floor_us"], 0.5);
  ASSERT_THAT(told["workloads"], SizeIs(2));
  EXPECT_EQ(told["workloads"][0], (Json{{"regime", "small"},
                                        {"candidate_us", 4.0},
                                        {"incumbent_us", 5.0},
                                        {"floor_us", 1.0},
                                        {"share_of_floor", 0.25},
                                        {"limited_by", "memory"}}));
  EXPECT_EQ(told["workloads"][1]["regime"], "large");
  EXPECT_TRUE(told["workloads"][1]["floor_us"].is_null()) << "nobody has measured it";
  EXPECT_TRUE(told["workloads"][1]["limited_by"].is_null());
  for (const char* secret : {"secret-a", "77777"}) {
    EXPECT_THAT(told.dump(), Not(HasSubstr(secret))) << "shapes are the judge's";
  }
}

TEST_F(ProfileTest, HasWhatTheCompilerSaidOfEachKernel) {
  task::KernelResources kernel;
  kernel.name = "decode\x1b[2J";
  kernel.registers = 96;
  kernel.spill_store_bytes = 8;
  kernel.spill_load_bytes = 12;
  kernel.shared_bytes = 4096;
  evaluation_.candidate_build.kernels = {kernel};
  const Json told = profile()["kernels"];
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0]["registers"], 96);
  EXPECT_EQ(told[0]["spill_load_bytes"], 12);
  EXPECT_THAT(told[0]["name"].get<std::string>(), Not(HasSubstr("\x1b")));
}

TEST_F(ProfileTest, SaysWhatNobodyHasMeasured) {
  EXPECT_THAT(profile()["workloads"], IsEmpty());
  const std::string all = profile()["not_measured"].dump();
  for (const char* words : {"no profiler", "the roofline's floor", "registers and spills"}) {
    EXPECT_THAT(all, HasSubstr(words));
  }
  timed("secret-a", 4000).floor_ns = 1000;
  evaluation_.candidate_build.kernels = {task::KernelResources()};
  EXPECT_THAT(profile()["not_measured"], SizeIs(1)) << "the counters, always";
}

}  // namespace
}  // namespace assay::mcp
