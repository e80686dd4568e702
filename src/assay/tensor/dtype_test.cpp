#include <assay/tensor/dtype.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <limits>
#include <rapidcheck.h>

namespace assay::tensor {
namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr float kFloatNaN = std::numeric_limits<float>::quiet_NaN();

TEST(DType, NamesAreTheSchemas) {
  EXPECT_THAT(dtype_names(), testing::ElementsAre("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
                                                  "float4_e2m1", "int64", "int32", "int16", "int8", "bool", "uint8",
                                                  "uint32", "float64", "unknown", "string", "dtype"));
  for (const std::string_view name : dtype_names()) {
    const auto dtype = parse_dtype(name);
    ASSERT_TRUE(dtype.has_value()) << name;
    EXPECT_EQ(to_string(*dtype), name);
  }
}

TEST(DType, UnknownNamesAreRefused) {
  for (const char* name : {"", "float65", "uint16", "Float32", "float32 ", "boolean", "float4_e2m1fn_x2"}) {
    EXPECT_FALSE(parse_dtype(name).has_value()) << name;
  }
}

TEST(DType, Sizes) {
  EXPECT_EQ(byte_size(DType::float32, 3), 12U);
  EXPECT_EQ(byte_size(DType::float16, 3), 6U);
  EXPECT_EQ(byte_size(DType::bfloat16, 3), 6U);
  EXPECT_EQ(byte_size(DType::float8_e4m3fn, 3), 3U);
  EXPECT_EQ(byte_size(DType::float8_e5m2, 3), 3U);
  EXPECT_EQ(byte_size(DType::int64, 3), 24U);
  EXPECT_EQ(byte_size(DType::int32, 3), 12U);
  EXPECT_EQ(byte_size(DType::int16, 3), 6U);
  EXPECT_EQ(byte_size(DType::int8, 3), 3U);
  EXPECT_EQ(byte_size(DType::boolean, 3), 3U);
  EXPECT_EQ(byte_size(DType::float4_e2m1, 0), 0U);
  EXPECT_EQ(byte_size(DType::float4_e2m1, 3), 2U);
  EXPECT_EQ(byte_size(DType::float4_e2m1, 4), 2U);
  EXPECT_EQ(bits(DType::float4_e2m1), 4U);
  EXPECT_EQ(bits(DType::int64), 64U);
  EXPECT_EQ(byte_size(DType::uint8, 3), 3U);
  EXPECT_EQ(byte_size(DType::uint32, 3), 12U);
  EXPECT_EQ(byte_size(DType::float64, 3), 24U);
}

TEST(DType, WordsThatSayNothingAboutMemoryHaveNoStorage) {
  for (const std::string_view name : dtype_names()) {
    const DType dtype = parse_dtype(name).value();
    const bool word = dtype == DType::unknown || dtype == DType::string || dtype == DType::element_type;
    EXPECT_EQ(has_storage(dtype), !word) << name;
    EXPECT_EQ(bits(dtype) == 0, word) << name;
  }
}

TEST(DTypeDeathTest, WithoutStorageThereIsNoSize) {
  EXPECT_DEATH(static_cast<void>(byte_size(DType::unknown, 0)), "width");
}

TEST(DTypeDeathTest, ASizeThatDoesNotFitIsABug) {
  EXPECT_DEATH(static_cast<void>(byte_size(DType::int64, std::numeric_limits<std::size_t>::max() / 4)), "elements");
}

TEST(DType, Floating) {
  int floating = 0;
  for (const std::string_view name : dtype_names()) {
    floating += is_floating(parse_dtype(name).value()) ? 1 : 0;
  }
  EXPECT_EQ(floating, 7);
  EXPECT_FALSE(is_floating(DType::boolean));
}

TEST(BFloat16, EveryValueSurvivesARoundTrip) {
  for (std::uint32_t word = 0; word <= 0xffffU; ++word) {
    const auto value = static_cast<std::uint16_t>(word);
    const float wide = from_bfloat16(value);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(wide)))) << word;
    } else {
      ASSERT_EQ(to_bfloat16(wide), value) << word;
    }
  }
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(to_bfloat16(1.0F), 0x3f80U);
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-8F), 0x3f80U);      // A tie goes to the even mantissa below …
  EXPECT_EQ(to_bfloat16(1.0F + 3 * 0x1p-8F), 0x3f82U);  // … or above.
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-8F + 0x1p-20F), 0x3f81U);
  EXPECT_EQ(to_bfloat16(-1.0F - 0x1p-8F - 0x1p-20F), 0xbf81U);
  EXPECT_EQ(to_bfloat16(-0.0F), 0x8000U);
}

TEST(BFloat16, SpecialValues) {
  EXPECT_EQ(to_bfloat16(kFloatInfinity), 0x7f80U);
  EXPECT_EQ(to_bfloat16(-kFloatInfinity), 0xff80U);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()), 0x7f80U);
  // A NaN whose payload lies in the dropped half must not turn into infinity.
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(__builtin_bit_cast(float, 0x7f800001U)))));
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(__builtin_bit_cast(float, 0xffffffffU)))));
}

TEST(BFloat16, NoNeighbourIsNearer) {
  rc::check([](std::uint32_t word) {
    const float value = __builtin_bit_cast(float, word);
    const std::uint16_t rounded = to_bfloat16(value);
    if (!std::isfinite(value) || !std::isfinite(from_bfloat16(rounded)) || (rounded & 0x7fffU) == 0) {
      return;
    }
    const double error = std::fabs(static_cast<double>(from_bfloat16(rounded)) - static_cast<double>(value));
    for (const int step : {-1, 1}) {
      const float neighbour = from_bfloat16(static_cast<std::uint16_t>(rounded + step));
      RC_ASSERT(error <= std::fabs(static_cast<double>(neighbour) - static_cast<double>(value)));
    }
  });
}

TEST(Float16, EveryValueSurvivesARoundTrip) {
  for (std::uint32_t word = 0; word <= 0xffffU; ++word) {
    const auto value = static_cast<std::uint16_t>(word);
    const float wide = from_float16(value);
    if ((word & 0x7fffU) > 0x7c00U) {
      EXPECT_TRUE(std::isnan(wide)) << word;
      EXPECT_TRUE(std::isnan(from_float16(to_float16(wide)))) << word;
    } else {
      ASSERT_EQ(to_float16(wide), value) << word;
    }
  }
}

TEST(Float16, AgreesWithTheCompilersType) {
#ifdef __FLT16_MANT_DIG__
  for (std::uint32_t word = 0; word < 0x7c00U; ++word) {
    __extension__ using Half = _Float16;
    ASSERT_EQ(from_float16(static_cast<std::uint16_t>(word)),
              static_cast<float>(__builtin_bit_cast(Half, static_cast<std::uint16_t>(word))));
  }
#else
  GTEST_SKIP() << "this compiler has no _Float16";
#endif
}

TEST(Float16, RoundsOverflowsAndUnderflows) {
  EXPECT_EQ(to_float16(1.0F), 0x3c00U);
  EXPECT_EQ(to_float16(1.0F + 0x1p-11F), 0x3c00U);
  EXPECT_EQ(to_float16(1.0F + 3 * 0x1p-11F), 0x3c02U);
  EXPECT_EQ(to_float16(65504.0F), 0x7bffU);
  EXPECT_EQ(to_float16(65519.0F), 0x7bffU);
  EXPECT_EQ(to_float16(65520.0F), 0x7c00U);  // A tie at the top rounds to even: infinity.
  EXPECT_EQ(to_float16(-1e30F), 0xfc00U);
  EXPECT_EQ(to_float16(0x1p-24F), 0x0001U);
  EXPECT_EQ(to_float16(0x1p-25F), 0x0000U);
  EXPECT_EQ(to_float16(-0x1p-26F), 0x8000U);
  EXPECT_EQ(to_float16(0x1p-14F - 0x1p-26F), 0x0400U);  // The largest subnormal rounds up into the normals.
}

TEST(Float8E4M3, EveryValueSurvivesARoundTrip) {
  for (unsigned word = 0; word < 256; ++word) {
    const auto value = static_cast<std::uint8_t>(word);
    const float wide = from_float8_e4m3fn(value);
    if ((word & 0x7fU) == 0x7fU) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_EQ(to_float8_e4m3fn(wide) & 0x7fU, 0x7fU);
    } else {
      ASSERT_TRUE(std::isfinite(wide));
      ASSERT_EQ(to_float8_e4m3fn(wide), value) << word;
    }
  }
}

TEST(Float8E4M3, KnownValues) {
  EXPECT_EQ(from_float8_e4m3fn(0x7e), 448.0F);
  EXPECT_EQ(from_float8_e4m3fn(0x38), 1.0F);
  EXPECT_EQ(from_float8_e4m3fn(0xb8), -1.0F);
  EXPECT_EQ(from_float8_e4m3fn(0x01), 0x1p-9F);
  EXPECT_EQ(from_float8_e4m3fn(0x08), 0x1p-6F);
  EXPECT_EQ(to_float8_e4m3fn(464.0F), 0x7eU);  // A tie between 448 and the NaN's place: even is 448.
  EXPECT_EQ(to_float8_e4m3fn(465.0F), 0x7fU);
  EXPECT_EQ(to_float8_e4m3fn(1e9F), 0x7fU);
  EXPECT_EQ(to_float8_e4m3fn(-kFloatInfinity), 0xffU);
  EXPECT_EQ(to_float8_e4m3fn(kFloatNaN) & 0x7fU, 0x7fU);
}

TEST(Float8E5M2, EveryValueSurvivesARoundTrip) {
  for (unsigned word = 0; word < 256; ++word) {
    const auto value = static_cast<std::uint8_t>(word);
    const float wide = from_float8_e5m2(value);
    if ((word & 0x7fU) > 0x7cU) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_TRUE(std::isnan(from_float8_e5m2(to_float8_e5m2(wide))));
    } else {
      ASSERT_EQ(to_float8_e5m2(wide), value) << word;
    }
  }
}

TEST(Float8E5M2, KnownValues) {
  EXPECT_EQ(from_float8_e5m2(0x7b), 57344.0F);
  EXPECT_EQ(from_float8_e5m2(0x3c), 1.0F);
  EXPECT_EQ(from_float8_e5m2(0x01), 0x1p-16F);
  EXPECT_EQ(from_float8_e5m2(0xfc), -kFloatInfinity);
  EXPECT_EQ(to_float8_e5m2(1e9F), 0x7cU);
  EXPECT_EQ(to_float8_e5m2(kFloatInfinity), 0x7cU);
}

TEST(Float4, AllSixteenValues) {
  constexpr std::array<float, 8> kValues{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  for (std::uint8_t i = 0; i < 8; ++i) {
    EXPECT_EQ(from_float4_e2m1(i), kValues[i]);
    EXPECT_EQ(from_float4_e2m1(static_cast<std::uint8_t>(i | 0x8U)), -kValues[i]);
    EXPECT_EQ(from_float4_e2m1(static_cast<std::uint8_t>(i | 0xf0U)),
              from_float4_e2m1(static_cast<std::uint8_t>(i | 0x0U)));
  }
}

}  // namespace
}  // namespace assay::tensor
