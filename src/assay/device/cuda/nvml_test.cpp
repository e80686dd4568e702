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
}

}  // namespace
}  // namespace assay::device::cuda
