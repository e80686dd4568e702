#include <assay/evaluate/busy_meter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/device/cpu.hpp>
#include <assay/evaluate/remote_device_for_test.hpp>

namespace assay::evaluate {
namespace {

/// A device that says what it is told to: samples end so many microseconds after it was made.
class Telling final : public RemoteDevice {
 public:
  explicit Telling(std::vector<device::BusySample> after) : samples_(std::move(after)) {
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
    for (device::BusySample& sample : samples_) {
      sample.end_us += now.count() + 60'000'000;
    }
  }
  [[nodiscard]] std::vector<device::BusySample> busy_samples(std::int64_t after_us) const override {
    std::vector<device::BusySample> later;
    for (const device::BusySample& sample : samples_) {
      if (sample.end_us > after_us) {
        later.push_back(sample);
      }
    }
    return later;
  }

 private:
  std::vector<device::BusySample> samples_;
};

TEST(BusyMeter, WeighsSamplesByTheirLengthAndLeavesTheFirstOut) {
  const Telling device({{0, 0.1}, {1'000'000, 1}, {4'000'000, 0.5}});
  BusyMeter meter(device);
  meter.look(BusyMeter::Look::last);
  EXPECT_DOUBLE_EQ(meter.covered_seconds(), 4);
  EXPECT_DOUBLE_EQ(meter.busy_seconds(), 2.5);
  meter.look(BusyMeter::Look::last);
  EXPECT_DOUBLE_EQ(meter.covered_seconds(), 4) << "each counts once";
}

TEST(BusyMeter, SamplesOfBeforeAreNobodysOfOurs) {
  const Telling device({{-70'000'000, 1}, {-65'000'000, 1}});
  BusyMeter meter(device);
  meter.look(BusyMeter::Look::last);
  EXPECT_EQ(meter.covered_seconds(), 0);
}

TEST(BusyMeter, ADeviceThatCannotTellSaysNothing) {
  const auto cpu = device::make_cpu();
  BusyMeter meter(*cpu);
  meter.look(BusyMeter::Look::when_due);
  meter.look(BusyMeter::Look::last);
  EXPECT_EQ(meter.covered_seconds(), 0);
  EXPECT_EQ(meter.busy_seconds(), 0);
}

}  // namespace
}  // namespace assay::evaluate
