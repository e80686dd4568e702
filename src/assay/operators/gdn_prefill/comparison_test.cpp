#include <assay/operators/gdn_prefill/comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>

namespace assay::operators::gdn_prefill {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// An output [2, 2, 4] of float32, whose blocks are its last axis.
class GdnPrefillComparison : public testing::Test {
 protected:
  GdnPrefillComparison() : values_(16), expected_(16), errors_(16, 0.5) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<float>(i);
      expected_[i] = static_cast<double>(i);
    }
  }

  [[nodiscard]] tensor::ConstView view() const {
    return {"output", tensor::DType::float32, {2, 2, 4}, std::as_bytes(std::span(values_))};
  }
  [[nodiscard]] std::optional<tensor::Mismatch> compare(std::size_t block = 4) const {
    return compare_with_errors(view(), expected_, errors_, block, most_);
  }

  std::vector<float> values_;
  std::vector<double> expected_;
  std::vector<double> errors_;
  ErrorRatios most_{.element = 4, .norm = 2};
};

TEST_F(GdnPrefillComparison, EqualValuesHaveNoError) {
  EXPECT_FALSE(compare().has_value());
  const ErrorRatios ratios = error_ratios(view(), expected_, errors_, 4);
  EXPECT_EQ(ratios.element, 0);
  EXPECT_EQ(ratios.norm, 0);
}

TEST_F(GdnPrefillComparison, AnElementIsHeldToItsOwnError) {
  values_[5] += 2;  // Four times what is honest.
  EXPECT_FALSE(compare().has_value());
  values_[5] += 0.01F;
  const auto mismatch = compare();
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->index, (std::vector<std::int64_t>{0, 1, 1}));
  EXPECT_EQ(mismatch->mismatched_elements, 1U);
  EXPECT_EQ(mismatch->expected, 5);
  EXPECT_THAT(mismatch->reason, StartsWith("output[0, 1, 1] is 7.01"));
  EXPECT_THAT(mismatch->reason,
              HasSubstr("(allowed difference 2); 1 of 16 elements differ by more than allowed, in 1 of 4"));
}

TEST_F(GdnPrefillComparison, ABlockIsHeldToItsNorm) {
  for (std::size_t i = 8; i < 12; ++i) {
    values_[i] += 1.125F;
  }
  const auto mismatch = compare();
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->mismatched_elements, 0U);
  EXPECT_EQ(mismatch->index[0], 1);
  EXPECT_DOUBLE_EQ(mismatch->worst_block_norm_error, 2.25);
  EXPECT_THAT(mismatch->reason, HasSubstr("the norm of the error over its block of 4 is 2.25 times an honest one"));
  // Over the whole tensor it would not show.
  EXPECT_FALSE(compare(16).has_value());
}

TEST_F(GdnPrefillComparison, OneErrorMayStandForARunOfElements) {
  errors_ = {1, 1, 1, 1};  // The norm over four elements.
  values_[0] += 1.9F;
  EXPECT_FALSE(compare().has_value());
  values_[1] += 1.9F;
  EXPECT_TRUE(compare().has_value());
}

TEST_F(GdnPrefillComparison, WhatIsNotFiniteIsWrongWhereverItIs) {
  for (const float poison : {std::nanf(""), INFINITY, -INFINITY}) {
    values_[3] = poison;
    const auto mismatch = compare(16);
    ASSERT_TRUE(mismatch.has_value());
    EXPECT_EQ(mismatch->flat, 3U);
    EXPECT_EQ(mismatch->mismatched_elements, 1U);
    EXPECT_TRUE(std::isinf(error_ratios(view(), expected_, errors_, 4).element));
  }
}

TEST_F(GdnPrefillComparison, WhereNoErrorIsHonestNoneIsAllowed) {
  errors_.assign(16, 0.0);
  EXPECT_FALSE(compare().has_value());
  values_[9] = std::nextafter(values_[9], 10.0F);
  EXPECT_TRUE(compare().has_value());
}

TEST_F(GdnPrefillComparison, Bfloat16IsRead) {
  std::vector<std::uint16_t> bits;
  for (const float value : values_) {
    bits.push_back(tensor::to_bfloat16(value));
  }
  const tensor::ConstView narrow{"output", tensor::DType::bfloat16, {4, 4}, std::as_bytes(std::span(bits))};
  EXPECT_FALSE(compare_with_errors(narrow, expected_, errors_, 4, most_).has_value());
  bits[15] = tensor::to_bfloat16(18);
  EXPECT_THAT(compare_with_errors(narrow, expected_, errors_, 4, most_)->reason, StartsWith("output[3, 3] is 18"));
}

TEST_F(GdnPrefillComparison, AnEmptyOutputIsEqual) {
  const tensor::ConstView empty{"output", tensor::DType::float32, {0, 4}, {}};
  EXPECT_FALSE(compare_with_errors(empty, {}, {}, 4, most_).has_value());
}

using GdnPrefillComparisonDeathTest = GdnPrefillComparison;

TEST_F(GdnPrefillComparisonDeathTest, SizesThatDoNotFitAreBugs) {
  expected_.pop_back();
  EXPECT_DEATH(static_cast<void>(compare()), "element_count");
  expected_.push_back(15);
  EXPECT_DEATH(static_cast<void>(compare(3)), "block");
  errors_.resize(5);
  EXPECT_DEATH(static_cast<void>(compare()), "errors.size");
}

}  // namespace
}  // namespace assay::operators::gdn_prefill
