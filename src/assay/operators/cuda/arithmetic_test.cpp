#include <assay/operators/cuda/arithmetic.hpp>

#include <gtest/gtest.h>

#include <assay/operators/gated_delta_rule.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::cuda {
namespace {

TEST(DeviceArithmetic, DecodesEveryCodeOfFp8AsTheCpuDoes) {
  for (unsigned code = 0; code < 256; ++code) {
    const float expected = tensor::from_float8_e4m3fn(static_cast<std::uint8_t>(code));
    const float got = float8_e4m3fn_value(static_cast<std::uint8_t>(code));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got)) << code;
    } else {
      EXPECT_EQ(got, expected) << code;
      EXPECT_EQ(std::signbit(got), std::signbit(expected)) << code;
    }
  }
  EXPECT_EQ(float8_e4m3fn_value(0x7e), 448.0F);
  EXPECT_EQ(float8_e4m3fn_value(0x81), -0x1p-9F);
}

TEST(DeviceArithmetic, WidensEveryBfloat16) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto expected = static_cast<double>(tensor::from_bfloat16(static_cast<std::uint16_t>(bits)));
    const double got = bfloat16_value(static_cast<std::uint16_t>(bits));
    EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << bits;
  }
}

TEST(DeviceArithmetic, GatesAreThoseOfTheGatedDeltaRule) {
  for (const double x : {-800.0, -40.0, -1.0, -1e-20, 0.0, 1e-9, 0.5, 3.0, 19.99, 20.0, 20.01, 700.0}) {
    EXPECT_EQ(softplus_value(x), softplus(x)) << x;
    EXPECT_EQ(sigmoid_value(x), sigmoid(x)) << x;
  }
  EXPECT_EQ(silu_value(-1e5), 0.0);
  EXPECT_NEAR(silu_value(2.0), 2 * sigmoid(2.0), 1e-15);
  EXPECT_EQ(decay_value(0.5, 1.0, 0.25), std::exp(-std::exp(0.5) * softplus(1.25)));
  EXPECT_EQ(decay_value(10, 700, 1), 0.0);
}

}  // namespace
}  // namespace assay::operators::cuda
