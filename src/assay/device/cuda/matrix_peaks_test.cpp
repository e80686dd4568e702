#include <assay/device/cuda/matrix_peaks.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace assay::device::cuda {
namespace {

TEST(MatrixPeaks, OnlyTheFastestInstructionBoundsWhatOthersCanDo) {
  EXPECT_TRUE(is_fastest_instruction(9, true));
  EXPECT_FALSE(is_fastest_instruction(9, false)) << "code without wgmma on a chip that has it";
  EXPECT_TRUE(is_fastest_instruction(8, false));
  EXPECT_FALSE(is_fastest_instruction(10, false)) << "tcgen05";
  EXPECT_FALSE(is_fastest_instruction(12, false)) << "not looked into";
  DevicePeaks peaks{4000, 800, 1500, "wgmma", true};
  EXPECT_DOUBLE_EQ(peaks.operations_bound(), 1500);
  peaks.e4m3_operations_per_ns = 0;
  EXPECT_DOUBLE_EQ(peaks.operations_bound(), 800);
  peaks.matrix_is_fastest = false;
  EXPECT_DOUBLE_EQ(peaks.operations_bound(), 0) << "a lower number than the device's own would accuse the honest";
}

TEST(GpuMatrixPeaks, AreThoseOfItsInstruction) {
  if (!has_device()) {
    GTEST_SKIP() << "no CUDA device here: nothing is multiplied";
  }
  const auto context = Context::retain(0);
  ASSERT_TRUE(context) << context.error().text();
  DevicePeaks peaks;
  const auto measured = measure_matrix_peaks(*context, peaks);
  ASSERT_TRUE(measured) << measured.error().text();
  std::printf("[ peaks    ] %s: bf16 %.0f, e4m3 %.0f operations a ns\n", peaks.matrix_instruction.c_str(),
              peaks.bf16_operations_per_ns, peaks.e4m3_operations_per_ns);
  EXPECT_GT(peaks.bf16_operations_per_ns, 1e4);
  EXPECT_LT(peaks.bf16_operations_per_ns, 1e7);
  if (describe_device(0)->major == 9) {
    EXPECT_EQ(peaks.matrix_instruction, "wgmma");
    EXPECT_TRUE(peaks.matrix_is_fastest);
    EXPECT_GT(peaks.e4m3_operations_per_ns, 1.3 * peaks.bf16_operations_per_ns) << "half the bits";
  }
}

}  // namespace
}  // namespace assay::device::cuda
