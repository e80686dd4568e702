#include <assay/tensor/rounding.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <vector>

#include <assay/tensor/comparison.hpp>

namespace assay::tensor {
namespace {

using testing::ElementsAre;

constexpr double kBeyondAll = std::numeric_limits<double>::infinity();

std::vector<double> round_trip(DType dtype, const std::vector<double>& values) {
  std::vector<std::byte> bytes(byte_size(dtype, values.size()));
  const View view{"x", dtype, {static_cast<std::int64_t>(values.size())}, bytes};
  write_rounded(view, values);
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.push_back(element(as_const(view), i));
  }
  return result;
}

TEST(WriteRounded, FloatingTypesRoundToNearest) {
  EXPECT_THAT(round_trip(DType::float32, {0.1, -2, kBeyondAll}),
              ElementsAre(static_cast<double>(0.1F), -2, kBeyondAll));
  EXPECT_THAT(round_trip(DType::bfloat16, {1.0 + 0x1p-9, 1.0 + 3 * 0x1p-9}), ElementsAre(1.0, 1.0 + 0x1p-7));
  EXPECT_THAT(round_trip(DType::float16, {65504, 1e6}), ElementsAre(65504, kBeyondAll));
  EXPECT_THAT(round_trip(DType::float8_e4m3fn, {447, 0.3}), ElementsAre(448, 0.3125));
  EXPECT_THAT(round_trip(DType::float8_e5m2, {3.4}), ElementsAre(3.5));
  EXPECT_THAT(round_trip(DType::float64, {0.1, kBeyondAll}), ElementsAre(0.1, kBeyondAll));
  EXPECT_THAT(round_trip(DType::float4_e2m1, {0.3, -5.1, 100}), ElementsAre(0.5, -6, 6)) << "an odd number of halves";
}

TEST(WriteRounded, IntegersAreCutToTheirRange) {
  EXPECT_THAT(round_trip(DType::int8, {-200, 200, 1.5, std::nan("")}), ElementsAre(-128, 127, 2, 0));
  EXPECT_THAT(round_trip(DType::int16, {-40000, 7}), ElementsAre(-32768, 7));
  EXPECT_THAT(round_trip(DType::int32, {-1, 1e300}), ElementsAre(-1, 2147483647));
  EXPECT_THAT(round_trip(DType::int64, {0x1p62, kBeyondAll}), ElementsAre(0x1p62, 0x1.fffffffffffffp62));
  EXPECT_THAT(round_trip(DType::uint8, {-1, 300, 7}), ElementsAre(0, 255, 7));
  EXPECT_THAT(round_trip(DType::uint32, {-1, 1e10, 3}), ElementsAre(0, 4294967295.0, 3));
  EXPECT_THAT(round_trip(DType::boolean, {0, -3}), ElementsAre(0, 1));
}

TEST(RoundToBits, KeepsSoManySignificantBits) {
  EXPECT_EQ(round_to_bits(1 + 0x1p-7, 8), 1 + 0x1p-7);
  EXPECT_EQ(round_to_bits(1 + 0x1p-8, 8), 1);
  EXPECT_EQ(round_to_bits(-5.0, 1), -4.0);
  EXPECT_EQ(round_to_bits(1e-310, 52), 1e-310);
  EXPECT_EQ(round_to_bits(0, 8), 0);
  EXPECT_EQ(round_to_bits(-kBeyondAll, 8), -kBeyondAll);
}

TEST(RoundToBits, AgreesWithTheTypesInTheirNormalRange) {
  for (const double value : {0.7, 3.14159, -11.3, 1e-3, 200.5}) {
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
      EXPECT_EQ(round_to_bits(value, significant_bits(dtype)), round_trip(dtype, {value})[0]) << value;
    }
  }
  EXPECT_EQ(significant_bits(DType::float8_e4m3fn), 4);
  EXPECT_EQ(significant_bits(DType::float8_e5m2), 3);
  EXPECT_EQ(significant_bits(DType::float4_e2m1), 2);
}

}  // namespace
}  // namespace assay::tensor
