#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/nvml.hpp>

namespace assay::device::cuda {
namespace {

TEST(ThrottleText, NamesWhatSlowsAKernelAndNothingElse) {
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(0x1 | 0x2), "");
  EXPECT_EQ(throttle_text(0x4), "power limit");
  EXPECT_EQ(throttle_text(0x4 | 0x20), "power limit, thermal slowdown");
}

TEST(ClockText, SaysWhatIsAskedForOfWhatThereIs) {
  EXPECT_EQ(clock_text({"580.1", 1980, 3201, 1500, 3201}), "SM 1500 MHz of 1980 MHz, memory 3201 MHz of 3201 MHz");
  EXPECT_EQ(clock_text({}), "SM unknown of unknown, memory unknown of unknown");
}

TEST(NvmlTest, WithoutTheLibraryOrTheDeviceItIsAnEnvironmentError) {
  const auto opened = Nvml::open("GPU-00000000-0000-0000-0000-000000000000");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().owner, base::Owner::environment);
  EXPECT_EQ(opened.error().code, "cuda.nvml");
}

TEST(GpuNvml, ReadsTheState) {
  if (!has_device()) {
    GTEST_SKIP() << "no CUDA device here: NVML is not asked";
  }
  const auto nvml = Nvml::open(describe_device(0)->uuid);
  ASSERT_TRUE(nvml) << nvml.error().text();
  const auto state = (*nvml)->state();
  ASSERT_TRUE(state) << state.error().text();
  EXPECT_GT(state->sm_mhz, 0);
  EXPECT_GT(state->memory_mhz, 0);
  EXPECT_GT(state->temperature_celsius, 0);
  EXPECT_GT(state->power_watts, 1);
  EXPECT_GE(state->power_limit_watts, state->power_watts / 2);
  const auto settings = (*nvml)->settings();
  ASSERT_TRUE(settings) << settings.error().text();
  EXPECT_THAT(settings->driver_version, ::testing::MatchesRegex("[0-9]+\\.[0-9.]+"));
  EXPECT_GE(settings->most_sm_mhz.value_or(0), state->sm_mhz);
  EXPECT_GE(settings->most_memory_mhz.value_or(0), state->memory_mhz);
}

}  // namespace
}  // namespace assay::device::cuda
