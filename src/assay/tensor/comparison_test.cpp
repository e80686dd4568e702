#include <assay/tensor/comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <rapidcheck.h>

#include <assay/base/random.hpp>
#include <assay/tensor/samples_for_test.hpp>

namespace assay::tensor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using samples::floats;
using samples::kInfinity;
using samples::kNaN;
using samples::normals;
using samples::Owned;
using samples::owned;

constexpr ComparisonRule kExact{};
constexpr ComparisonRule kElementsOnly{.relative = 1e-3, .absolute_of_rms = 1e-3, .norm = kInfinity};

TEST(Comparison, EqualValuesPassTheExactRule) {
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 7U, 1023U, 1025U, 5000U}) {
    const auto values = normals(count, count);
    const Owned got = floats({static_cast<std::int64_t>(count)}, values);
    EXPECT_FALSE(compare(got.view(), values, kExact).has_value()) << count;
  }
}

TEST(Comparison, AnyWrongElementIsFoundWithItsPlace) {
  const Shape shape{3, 5, 7};
  const auto expected = normals(105, 1);
  for (std::size_t at = 0; at < expected.size(); ++at) {
    auto values = expected;
    values[at] += 1;
    const auto mismatch = compare(floats(shape, values).view(), expected, kElementsOnly);
    ASSERT_TRUE(mismatch.has_value()) << at;
    EXPECT_EQ(mismatch->flat, at);
    EXPECT_EQ(mismatch->index, unravel(at, shape));
    EXPECT_EQ(mismatch->mismatched_elements, 1U);
    EXPECT_EQ(mismatch->elements, 105U);
    EXPECT_EQ(mismatch->expected, expected[at]);
    EXPECT_NEAR(mismatch->got, expected[at] + 1, 1e-6);
  }
}

TEST(Comparison, TheReasonSaysWhatAndWhere) {
  const auto mismatch = compare(floats({2, 2}, {1, 2, 3.5, 4}).view(), std::vector<double>{1, 2, 3, 4}, kElementsOnly);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_THAT(mismatch->reason, HasSubstr("y[1, 0] is 3.5, expected 3"));
  EXPECT_THAT(mismatch->reason, HasSubstr("1 of 4 elements"));
  EXPECT_GT(mismatch->worst_block_norm_error, 0.09);
}

TEST(Comparison, TheWorstElementIsTheOneFarthestBeyondItsTolerance) {
  // The error of 1 at 1000 is within 1 %; that of 0.5 at 1 is not.
  const ComparisonRule rule{.relative = 1e-2, .norm = kInfinity};
  const auto mismatch = compare(floats({3}, {1001, 1.5, 2.1}).view(), std::vector<double>{1000, 1, 2}, rule);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->flat, 1U);
  EXPECT_EQ(mismatch->mismatched_elements, 2U);
}

TEST(Comparison, TheAbsolutePartFollowsTheRmsOfTheWholeTensor) {
  std::vector<double> expected(1000, 10.0);
  expected[500] = 0;
  auto values = expected;
  values[500] = 0.009;  // RMS is just under 10; 1e-3 of it is just under 0.01.
  EXPECT_FALSE(compare(floats({1000}, values).view(), expected, kElementsOnly).has_value());
  values[500] = 0.011;
  const auto mismatch = compare(floats({1000}, values).view(), expected, kElementsOnly);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->flat, 500U);
  // The same error fails in a tensor of small values.
  std::vector<double> small(1000, 1.0);
  small[500] = 0;
  auto got = small;
  got[500] = 0.009;
  EXPECT_TRUE(compare(floats({1000}, got).view(), small, kElementsOnly).has_value());
}

TEST(Comparison, ABoundaryValueIsWithin) {
  const ComparisonRule rule{.relative = 0.5, .norm = kInfinity};
  EXPECT_FALSE(compare(floats({2}, {1.5, -1}).view(), std::vector<double>{1, -2}, rule).has_value());
  EXPECT_TRUE(compare(floats({2}, {1.5000001, -1}).view(), std::vector<double>{1, -2}, rule).has_value());
}

TEST(Comparison, OneWrongBlockDoesNotHideInTheRest) {
  // A small error everywhere in one block of 64: harmless by element and over the whole, wrong for that
  // block.
  const auto expected = normals(64 * 100, 3);
  auto values = expected;
  for (std::size_t i = 0; i < 100; ++i) {
    values[42 * 100 + i] *= 1.01;
  }
  const Owned got = floats({8, 8, 100}, values);
  const ComparisonRule whole{.relative = 0.1, .absolute_of_rms = 0.1, .norm = 5e-3, .norm_axes = 0};
  EXPECT_FALSE(compare(got.view(), expected, whole).has_value());
  ComparisonRule by_block = whole;
  by_block.norm_axes = 2;
  const auto mismatch = compare(got.view(), expected, by_block);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->mismatched_elements, 0U);
  EXPECT_NEAR(mismatch->worst_block_norm_error, 0.01, 1e-4);
  EXPECT_THAT(mismatch->reason, HasSubstr("over block [5, 2]"));
  EXPECT_EQ(mismatch->index[0], 5);
  EXPECT_EQ(mismatch->index[1], 2);
}

TEST(Comparison, NormAxesMayNameEveryAxis) {
  const std::vector<double> expected{1, 100};
  const ComparisonRule rule{.relative = 1, .norm = 0.1, .norm_axes = 1};
  EXPECT_FALSE(compare(floats({2}, {1.05, 105}).view(), expected, rule).has_value());
  EXPECT_TRUE(compare(floats({2}, {1.2, 100}).view(), expected, rule).has_value());
}

TEST(Comparison, ABlockOfZerosMustBeZero) {
  const std::vector<double> expected{0, 0, 5, 5};
  const ComparisonRule rule{.absolute_of_rms = 0.1, .norm = 0.5, .norm_axes = 1};
  EXPECT_FALSE(compare(floats({2, 2}, {0, -0.0, 5, 5}).view(), expected, rule).has_value());
  const auto mismatch = compare(floats({2, 2}, {0, 1e-6, 5, 5}).view(), expected, rule);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->worst_block_norm_error, kInfinity);
  EXPECT_EQ(mismatch->flat, 1U);
}

TEST(Comparison, SpecialValuesMatchTheirOwnClassOnly) {
  const std::vector<double> specials{kNaN, kInfinity, -kInfinity, 1};
  for (const double expected : specials) {
    for (const double got : specials) {
      const std::vector<double> all{2, expected, 3, 4, 5};
      const bool same = (std::isnan(expected) && std::isnan(got)) || expected == got;
      const auto mismatch = compare(floats({5}, {2, got, 3, 4, 5}).view(), all, kElementsOnly);
      EXPECT_EQ(!mismatch.has_value(), same) << expected << " " << got;
      if (mismatch) {
        EXPECT_EQ(mismatch->flat, 1U);
        EXPECT_EQ(mismatch->mismatched_elements, 1U);
      }
    }
  }
}

TEST(Comparison, LegitimateInfinitiesDoNotExcuseOtherErrors) {
  const std::vector<double> expected{-kInfinity, 1, 2, 3};
  EXPECT_FALSE(compare(floats({4}, {-kInfinity, 1, 2, 3}).view(), expected, kExact).has_value());
  const auto mismatch = compare(floats({4}, {-kInfinity, 1, 2.5, 3}).view(), expected, kElementsOnly);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->flat, 2U);
  // The norm leaves them out, and still sees the rest.
  const ComparisonRule norm{.relative = 1, .norm = 1e-3};
  EXPECT_TRUE(compare(floats({4}, {-kInfinity, 1, 2.5, 3}).view(), expected, norm).has_value());
}

TEST(Comparison, OneNaNAmongManyIsFoundWhereverItIs) {
  const auto expected = normals(4099, 9);
  for (const std::size_t at : {0U, 1U, 2U, 3U, 2048U, 4095U, 4096U, 4098U}) {
    auto values = expected;
    values[at] = kNaN;
    const auto mismatch = compare(floats({4099}, values).view(), expected, kElementsOnly);
    ASSERT_TRUE(mismatch.has_value()) << at;
    EXPECT_EQ(mismatch->flat, at);
    EXPECT_THAT(mismatch->reason, HasSubstr("is nan"));
  }
}

TEST(Comparison, AllWrongIsCounted) {
  const auto expected = normals(3000, 5);
  const auto mismatch = compare(floats({3000}, std::vector<double>(3000, 1e30)).view(), expected, kElementsOnly);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->mismatched_elements, 3000U);
}

TEST(Comparison, ThePassesAgree) {
  // The quick pass decides most cases, the careful one the rest: a plain statement of the rule must agree
  // with both.
  rc::check([](std::uint64_t seed) {
    base::Philox random(seed, 1);
    const auto rows = static_cast<std::int64_t>(1 + random.next_below(4));
    const auto columns = static_cast<std::int64_t>(1 + random.next_below(40));
    const auto count = static_cast<std::size_t>(rows * columns);
    const auto expected = normals(count, seed);
    std::vector<double> values(expected);
    for (double& value : values) {
      value =
          static_cast<double>(static_cast<float>(value * (1 + 2e-3 * random.next_normal() * random.next_uniform())));
    }
    const ComparisonRule rule{.relative = 2e-3, .absolute_of_rms = 1e-3, .norm = 2e-3, .norm_axes = 1};
    double sum = 0;
    for (const double value : expected) {
      sum += value * value;
    }
    const double absolute = rule.absolute_of_rms * std::sqrt(sum / static_cast<double>(count));
    bool holds = true;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      double error = 0;
      double norm = 0;
      for (std::size_t flat = row * static_cast<std::size_t>(columns);
           flat < (row + 1) * static_cast<std::size_t>(columns); ++flat) {
        const double difference = values[flat] - expected[flat];
        holds = holds && std::fabs(difference) <= absolute + rule.relative * std::fabs(expected[flat]);
        error += difference * difference;
        norm += expected[flat] * expected[flat];
      }
      holds = holds && std::sqrt(error) <= rule.norm * std::sqrt(norm);
    }
    RC_ASSERT(!compare(floats({rows, columns}, values).view(), expected, rule).has_value() == holds);
  });
}

TEST(Comparison, EveryFloatingTypeIsReadByItsFormat) {
  const std::vector<double> expected{1, -2, 0.5, 1.5, 3};
  const Shape shape{5};
  std::vector<std::uint16_t> half;
  std::vector<std::uint16_t> brain;
  std::vector<std::uint8_t> e4m3;
  std::vector<std::uint8_t> e5m2;
  for (const double value : expected) {
    const auto narrow = static_cast<float>(value);
    half.push_back(to_float16(narrow));
    brain.push_back(to_bfloat16(narrow));
    e4m3.push_back(to_float8_e4m3fn(narrow));
    e5m2.push_back(to_float8_e5m2(narrow));
  }
  // 1, -2, 0.5, 1.5, 3 in e2m1, the first of two in the low half.
  const std::vector<std::uint8_t> fp4{0xc2, 0x31, 0x05};
  for (const Owned& got : {owned(DType::float16, shape, half), owned(DType::bfloat16, shape, brain),
                           owned(DType::float8_e4m3fn, shape, e4m3), owned(DType::float8_e5m2, shape, e5m2),
                           owned(DType::float4_e2m1, shape, fp4), floats(shape, expected)}) {
    EXPECT_FALSE(compare(got.view(), expected, kExact).has_value()) << to_string(got.dtype);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(element(got.view(), i), expected[i]) << to_string(got.dtype);
    }
    auto other = expected;
    other[4] = 4;
    const auto mismatch = compare(got.view(), other, kElementsOnly);
    ASSERT_TRUE(mismatch.has_value()) << to_string(got.dtype);
    EXPECT_THAT(mismatch->index, ElementsAre(4));
  }
}

TEST(Comparison, Float64IsNotRoundedToFloat) {
  const std::vector<double> expected{1, 1e-300, -1e300};
  const Owned right = owned(DType::float64, {3}, expected);
  EXPECT_FALSE(compare(right.view(), expected, kExact).has_value());
  std::vector<double> near = expected;
  near[0] = std::nextafter(1.0, 2.0);
  const Owned got = owned(DType::float64, {3}, near);
  EXPECT_EQ(element(got.view(), 0), near[0]);
  const auto mismatch = compare(got.view(), expected, ComparisonRule{.norm = kInfinity});
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->flat, 0U);
  EXPECT_EQ(mismatch->mismatched_elements, 1U);
  EXPECT_FALSE(compare(got.view(), expected, kElementsOnly).has_value());
  near[2] = 1e299;
  const Owned wrong = owned(DType::float64, {3}, near);
  EXPECT_TRUE(compare(wrong.view(), expected, kElementsOnly).has_value()) << "squares that overflow excuse nothing";
}

TEST(Comparison, UnsignedIntegersAreNotTakenForSigned) {
  const Owned bytes = owned<std::uint8_t>(DType::uint8, {2}, {255, 0});
  EXPECT_FALSE(compare(bytes.view(), std::vector<double>{255, 0}, kExact));
  EXPECT_TRUE(compare(bytes.view(), std::vector<double>{-1, 0}, kExact));
  const Owned words = owned<std::uint32_t>(DType::uint32, {1}, {0xffffffffU});
  EXPECT_FALSE(compare(words.view(), std::vector<double>{4294967295.0}, kExact));
  EXPECT_TRUE(compare(words.view(), std::vector<double>{-1}, kExact));
  EXPECT_EQ(element(words.view(), 0), 4294967295.0);
}

TEST(Comparison, IntegersAreComparedExactlyWhateverTheRule) {
  const ComparisonRule loose{.relative = 1, .absolute_of_rms = 1, .norm = 10};
  const std::vector<double> expected{1000, -5, 0};
  EXPECT_FALSE(compare(owned<std::int32_t>(DType::int32, {3}, {1000, -5, 0}).view(), expected, loose).has_value());
  const auto mismatch = compare(owned<std::int32_t>(DType::int32, {3}, {1001, -5, 9}).view(), expected, loose);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->flat, 2U);
  EXPECT_EQ(mismatch->mismatched_elements, 2U);
  EXPECT_THAT(mismatch->reason, HasSubstr("y[2] is 9, expected 0 exactly; 2 of 3"));
  EXPECT_FALSE(compare(owned<std::int16_t>(DType::int16, {2}, {7, -7}).view(), std::vector<double>{7, -7}, kExact));
  EXPECT_TRUE(compare(owned<std::int8_t>(DType::int8, {2}, {7, -7}).view(), std::vector<double>{7, 7}, kExact));
}

TEST(Comparison, LargeIntegersAreNotRoundedTogether) {
  const std::int64_t big = std::int64_t{1} << 53;
  const std::vector<double> expected{static_cast<double>(big)};
  EXPECT_FALSE(compare(owned<std::int64_t>(DType::int64, {1}, {big}).view(), expected, kExact));
  EXPECT_TRUE(compare(owned<std::int64_t>(DType::int64, {1}, {big + 1}).view(), expected, kExact));
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(compare(owned<std::int64_t>(DType::int64, {1}, {lowest}).view(), std::vector<double>{-0x1p63}, kExact));
}

TEST(Comparison, AnIntegerNeverEqualsAFractionOrASpecialValue) {
  for (const double expected : {0.5, kNaN, kInfinity, -kInfinity, 1e300}) {
    EXPECT_TRUE(compare(owned<std::int64_t>(DType::int64, {1}, {0}).view(), std::vector<double>{expected}, kExact));
  }
}

TEST(Comparison, BooleansCompareByTruth) {
  const std::vector<double> expected{1, 0};
  EXPECT_FALSE(compare(owned<std::uint8_t>(DType::boolean, {2}, {1, 0}).view(), expected, kExact));
  EXPECT_FALSE(compare(owned<std::uint8_t>(DType::boolean, {2}, {0x80, 0}).view(), expected, kExact));
  EXPECT_TRUE(compare(owned<std::uint8_t>(DType::boolean, {2}, {1, 1}).view(), expected, kExact));
}

TEST(Comparison, UnalignedMemoryIsRead) {
  const auto expected = normals(37, 2);
  std::vector<std::byte> bytes(37 * sizeof(float) + 1);
  const Owned aligned = floats({37}, expected);
  std::memcpy(bytes.data() + 1, aligned.bytes.data(), aligned.bytes.size());
  const ConstView view{"y", DType::float32, {37}, std::span<const std::byte>(bytes).subspan(1)};
  EXPECT_FALSE(compare(view, expected, kExact).has_value());
  EXPECT_EQ(element(view, 36), expected[36]);
}

TEST(Comparison, AnEmptyTensorIsEqual) {
  EXPECT_FALSE(compare(floats({0, 4}, {}).view(), {}, kExact).has_value());
  EXPECT_FALSE(compare(floats({0, 4}, {}).view(), {}, ComparisonRule{.norm_axes = 1}).has_value());
}

TEST(Comparison, AScalarTensorHasOneElement) {
  EXPECT_FALSE(compare(floats({}, {2}).view(), std::vector<double>{2}, kExact).has_value());
  const auto mismatch = compare(floats({}, {3}).view(), std::vector<double>{2}, kElementsOnly);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_TRUE(mismatch->index.empty());
}

TEST(ComparisonDeathTest, SizesThatDoNotAgreeAreBugs) {
  const Owned got = floats({4}, {1, 2, 3, 4});
  EXPECT_DEATH(static_cast<void>(compare(got.view(), std::vector<double>{1, 2, 3}, kExact)), "expected.size");
  EXPECT_DEATH(static_cast<void>(compare(got.view(), std::vector<double>{1, 2, 3, 4}, {.norm_axes = 2})), "norm_axes");
  ConstView cut = got.view();
  cut.bytes = cut.bytes.first(8);
  EXPECT_DEATH(static_cast<void>(compare(cut, std::vector<double>{1, 2, 3, 4}, kExact)), "bytes.size");
  EXPECT_DEATH(static_cast<void>(element(got.view(), 4)), "flat <");
}

// What the parts of a rule that speak of the whole tensor see, and elements by themselves do not.
class QualityTest : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 4096;
  QualityTest() {
    base::Philox random(3, 4);
    for (double& value : expected_) {
      value = random.next_normal();
    }
  }
  // Each element off by this part of what the rule allows it, which is 2^-7 of the element.
  std::string moved(double part, std::size_t first, std::size_t count, std::size_t step = 1) const {
    std::vector<float> got(expected_.begin(), expected_.end());
    for (std::size_t i = 0; i < count; ++i) {
      got[first + i * step] = static_cast<float>(expected_[first + i * step] * (1 + part * 0x1p-7));
    }
    return compare_floats(got);
  }
  std::string compare_floats(const std::vector<float>& got) const {
    const ConstView view{"y", DType::float32, {static_cast<std::int64_t>(kCount)}, std::as_bytes(std::span(got))};
    const auto mismatch = compare(view, expected_, rule_);
    return mismatch ? mismatch->reason : "";
  }
  std::string compare_bfloat16(const std::function<std::uint16_t(float)>& convert) const {
    std::vector<std::uint16_t> got;
    for (const double value : expected_) {
      got.push_back(convert(static_cast<float>(value)));
    }
    const ConstView view{"y", DType::bfloat16, {static_cast<std::int64_t>(kCount)}, std::as_bytes(std::span(got))};
    const auto mismatch = compare(view, expected_, rule_);
    return mismatch ? mismatch->reason : "";
  }

  std::vector<double> expected_ = std::vector<double>(kCount);
  ComparisonRule rule_{.relative = 0x1p-7, .norm = 1, .usual_part = 0.75, .unusual_share = 0.01, .longest_run = 32};
};

TEST_F(QualityTest, OutputsAreRoundedAndNotCutOff) {
  rule_.usual_part = 1;
  const auto cut = [](float value) {
    return static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, value) >> 16U);
  };
  EXPECT_EQ(compare_bfloat16(cut), "") << "each element is within 2^-7";
  rule_.error_ratio = 1.5;
  EXPECT_EQ(compare_bfloat16(to_bfloat16), "");
  EXPECT_THAT(compare_bfloat16(cut), testing::AllOf(HasSubstr("times that of an honest implementation"),
                                                    HasSubstr("allowed 1.5"), HasSubstr("y[")));
  rule_.working = 0x1p-8;
  EXPECT_EQ(compare_bfloat16(cut), "") << "an implementation with such errors besides";
}

TEST_F(QualityTest, FewElementsMayUseAllThatTheyAreAllowed) {
  EXPECT_EQ(moved(0.9, 0, 40, 100), "");
  EXPECT_THAT(moved(0.9, 0, 45, 90), HasSubstr("45 of 4096 elements err by more than 0.75"));
  EXPECT_EQ(moved(0.7, 0, kCount), "");
  EXPECT_THAT(moved(1.1, 7, 1), HasSubstr("y[7]"));
}

TEST_F(QualityTest, NoneOfThemSideBySide) {
  EXPECT_EQ(moved(0.9, 100, 31), "");
  EXPECT_THAT(moved(0.9, 100, 32), testing::AllOf(HasSubstr("32 elements side by side"), HasSubstr("number 132")));
  EXPECT_EQ(moved(0.7, 100, 400), "");
}

TEST_F(QualityTest, OneElementOfAFewMay) {
  rule_.unusual_share = 0;
  EXPECT_EQ(moved(0.9, 5, 1), "");
  EXPECT_NE(moved(0.9, 5, 2), "");
}

}  // namespace
}  // namespace assay::tensor
