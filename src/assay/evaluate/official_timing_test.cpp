#include <assay/evaluate/official_timing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/device/cpu.hpp>
#include <assay/device/simulated.hpp>

namespace assay::evaluate {
namespace {

// A clock for GPUs is not replaced by another one.
TEST(OfficialTiming, WhereThereIsNoGpuItSaysSoAndTimesNothing) {
  for (const bool passed : {true, false}) {
    for (const bool simulated : {true, false}) {
      const auto device = simulated ? device::make_simulated(3) : device::make_cpu();
      Session session;
      session.device = device.get();
      task::OfficialVerdict verdict;
      verdict.passed = passed;
      ASSERT_TRUE(time_officially(session, nullptr, verdict));
      EXPECT_FALSE(verdict.timing);
      EXPECT_EQ(verdict.passed, passed);
      EXPECT_THAT(verdict.not_timed,
                  ::testing::AllOf(::testing::HasSubstr("kernels of a GPU"), ::testing::HasSubstr(device->name())));
    }
  }
}

TEST(OfficialTiming, TheirNumbersOfCalls) {
  EXPECT_EQ(kOfficialUntimedCalls, 16) << "one, five to estimate, ten to warm up";
  EXPECT_EQ(kOfficialTimedCalls, 50);
}

}  // namespace
}  // namespace assay::evaluate
