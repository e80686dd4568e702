#include <assay/evaluate/kept_peaks.hpp>

#include <gtest/gtest.h>

#include <assay/device/cpu.hpp>
#include <assay/evaluate/remote_device_for_test.hpp>

namespace assay::evaluate {
namespace {

// A device that says what it is told to and counts how often it is measured.
class Measured final : public RemoteDevice {
 public:
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe() const override {
    return {{"cpu", cpu}, {"gpu_uuid", uuid}, {"gpu_clocks", clocks}};
  }
  base::Result<std::optional<device::DevicePeaks>> measure_peaks() const override {
    ++measurements;
    return peaks;
  }

  std::string cpu = "a";
  std::string uuid = "GPU-1";
  std::string clocks = "SM 1980 MHz of 1980 MHz";
  device::DevicePeaks peaks{4000, 800, 1500, "wgmma", true};
  mutable int measurements = 0;
};

class KeptPeaksTest : public ::testing::Test {
 protected:
  device::DevicePeaks peaks(Measure measure = Measure::once) {
    const auto kept = kept_peaks(device_, folder_->path(), measure);
    EXPECT_TRUE(kept) << kept.error().text();
    return kept->value_or(device::DevicePeaks{});
  }
  base::Result<os::TemporaryDirectory> folder_ = os::TemporaryDirectory::create(testing::TempDir(), "assay-peaks-");
  Measured device_;
};

TEST_F(KeptPeaksTest, ADeviceIsMeasuredOnce) {
  EXPECT_DOUBLE_EQ(peaks().bytes_per_ns, 4000);
  device_.peaks.bytes_per_ns = 5000;
  device_.cpu = "another";
  const device::DevicePeaks again = peaks();
  EXPECT_EQ(device_.measurements, 1);
  EXPECT_DOUBLE_EQ(again.bytes_per_ns, 4000);
  EXPECT_DOUBLE_EQ(again.e4m3_operations_per_ns, 1500);
  EXPECT_EQ(again.matrix_instruction, "wgmma");
  EXPECT_TRUE(again.matrix_is_fastest);
}

TEST_F(KeptPeaksTest, AnotherDeviceOrOtherClocksAreMeasuredAnew) {
  peaks();
  device_.uuid = "GPU-2";
  device_.peaks.bytes_per_ns = 100;
  EXPECT_DOUBLE_EQ(peaks().bytes_per_ns, 100);
  device_.clocks = "SM 1500 MHz of 1980 MHz";
  peaks();
  EXPECT_EQ(device_.measurements, 3);
}

TEST_F(KeptPeaksTest, ABusyDeviceThatShowsLessLowersNothing) {
  peaks();
  device_.peaks = {1000, 900, 700, "wgmma", true};
  const device::DevicePeaks again = peaks(Measure::again);
  EXPECT_EQ(device_.measurements, 2);
  EXPECT_DOUBLE_EQ(again.bytes_per_ns, 4000);
  EXPECT_DOUBLE_EQ(again.bf16_operations_per_ns, 900);
  EXPECT_DOUBLE_EQ(peaks().bf16_operations_per_ns, 900) << "and that is what is kept";
}

TEST_F(KeptPeaksTest, ADamagedFileIsMeasuredAnew) {
  peaks();
  const auto files = os::list_directory(folder_->path() / "peaks").value();
  ASSERT_EQ(files.size(), 1U);
  for (const std::string& file : files) {
    for (const char* damaged : {"", "{", "[]", R"({"version": 1})"}) {
      ASSERT_TRUE(os::write_file_atomic(folder_->path() / "peaks" / file, damaged));
      EXPECT_DOUBLE_EQ(peaks().bytes_per_ns, 4000) << damaged;
    }
  }
  EXPECT_EQ(device_.measurements, 5);
}

TEST(KeptPeaks, ACpuHasNone) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-peaks-");
  EXPECT_FALSE(kept_peaks(*device::make_cpu(), folder->path(), Measure::once).value());
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "peaks"));
}

}  // namespace
}  // namespace assay::evaluate
