#include <assay/operators/normal_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>

#include <assay/tensor/comparison.hpp>

namespace assay::operators {
namespace {

std::vector<double> drawn(NormalPool& pool, tensor::DType dtype, std::size_t count, std::uint64_t stream) {
  std::vector<std::byte> bytes(tensor::byte_size(dtype, count));
  base::Philox random(9, stream);
  pool.fill(random, dtype, bytes);
  const tensor::ConstView view{"x", dtype, {static_cast<std::int64_t>(count)}, bytes};
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(tensor::element(view, i));
  }
  return values;
}

constexpr tensor::DType kAll[] = {tensor::DType::float32,       tensor::DType::float16,     tensor::DType::bfloat16,
                                  tensor::DType::float8_e4m3fn, tensor::DType::float8_e5m2, tensor::DType::float4_e2m1};

TEST(NormalPool, HasMeanZeroAndVarianceOneInEveryType) {
  NormalPool pool(1, "test");
  for (const tensor::DType dtype : kAll) {
    double sum = 0;
    double square = 0;
    const auto values = drawn(pool, dtype, 100000, 3);
    for (const double value : values) {
      sum += value;
      square += value * value;
      ASSERT_LE(std::fabs(value), tensor::bits(dtype) < 16 ? 2 : 6);
    }
    const double count = static_cast<double>(values.size());
    EXPECT_NEAR(sum / count, 0, 0.03) << tensor::to_string(dtype);
    // Clamping at 2 takes 8 % of the variance.
    EXPECT_NEAR(square / count, tensor::bits(dtype) < 16 ? 0.92 : 1, 0.05) << tensor::to_string(dtype);
  }
}

TEST(NormalPool, TheStreamDecidesTheBytes) {
  NormalPool pool(1, "test");
  NormalPool same(1, "test");
  NormalPool other(1, "other");
  for (const tensor::DType dtype : kAll) {
    EXPECT_EQ(drawn(pool, dtype, 5000, 3), drawn(same, dtype, 5000, 3));
    EXPECT_NE(drawn(pool, dtype, 5000, 3), drawn(pool, dtype, 5000, 4));
    EXPECT_NE(drawn(pool, dtype, 5000, 3), drawn(other, dtype, 5000, 3));
  }
}

TEST(NormalPool, FillsOddSizesAndNone) {
  NormalPool pool(1, "test");
  for (const std::size_t count : {std::size_t{1}, NormalPool::kRun - 1, NormalPool::kRun, NormalPool::kRun + 1}) {
    const auto values = drawn(pool, tensor::DType::float4_e2m1, count, 3);
    EXPECT_EQ(values.size(), count);
  }
  EXPECT_TRUE(drawn(pool, tensor::DType::float32, 0, 3).empty());
}

TEST(Float4, RoundsToTheNearestAndTiesToEven) {
  for (std::uint8_t code = 0; code < 16; ++code) {
    if (code != 8) {
      EXPECT_EQ(tensor::to_float4_e2m1(tensor::from_float4_e2m1(code)), code);
    }
  }
  EXPECT_EQ(tensor::from_float4_e2m1(tensor::to_float4_e2m1(0.25F)), 0);
  EXPECT_EQ(tensor::from_float4_e2m1(tensor::to_float4_e2m1(0.75F)), 1);
  EXPECT_EQ(tensor::from_float4_e2m1(tensor::to_float4_e2m1(2.5F)), 2);
  EXPECT_EQ(tensor::from_float4_e2m1(tensor::to_float4_e2m1(-3.5F)), -4);
  EXPECT_EQ(tensor::from_float4_e2m1(tensor::to_float4_e2m1(100.0F)), 6);
}

}  // namespace
}  // namespace assay::operators
