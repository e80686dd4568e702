#include <assay/tensor/largest_errors.hpp>

#include <gtest/gtest.h>
#include <cmath>
#include <vector>

#include <assay/tensor/comparison.hpp>
#include <assay/tensor/samples_for_test.hpp>

namespace assay::tensor {
namespace {

using samples::floats;
using samples::kInfinity;
using samples::kNaN;
using samples::normals;
using samples::Owned;
using samples::rounded;

TEST(LargestErrors, AreFlashinferBenchs) {
  const std::vector<double> expected{1, -4, 0, 100};
  const LargestErrors errors = largest_errors(floats({4}, {1.5, -4, 1e-3, 101}).view(), expected);
  EXPECT_EQ(errors.absolute, 1);
  EXPECT_NEAR(errors.relative, 1e-3 / 1e-8, 1) << "against zero, the formula adds 1e-8";
  const LargestErrors none = largest_errors(floats({4}, expected).view(), expected);
  EXPECT_EQ(none.absolute, 0);
  EXPECT_EQ(none.relative, 0);
  EXPECT_EQ(largest_errors(floats({0}, {}).view(), {}).absolute, 0);
}

TEST(LargestErrors, SpecialValuesAreComparedByClass) {
  const std::vector<double> expected{kInfinity, kNaN, 1};
  EXPECT_EQ(largest_errors(floats({3}, {kInfinity, kNaN, 1.25}).view(), expected).absolute, 0.25);
  EXPECT_EQ(largest_errors(floats({3}, {-kInfinity, kNaN, 1}).view(), expected).absolute, kInfinity);
  EXPECT_EQ(largest_errors(floats({3}, {kInfinity, 0, 1}).view(), expected).relative, kInfinity);
}

TEST(LargestErrors, AreThoseOfElementAfterElementInEveryTypeAndLength) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float64}) {
    for (const std::size_t count : {1UL, 2UL, 3UL, 1023UL, 2049UL}) {
      for (const bool special : {false, true}) {
        std::vector<double> expected = normals(count, 7);
        const Owned got = rounded(dtype, expected, 1.01);
        if (special) {
          expected[count / 2] = kNaN;
        }
        LargestErrors wanted;
        for (std::size_t i = 0; i < count; ++i) {
          const double value = element(got.view(), i);
          const double error = std::fabs(value - expected[i]);
          wanted.add(std::isnan(expected[i]) ? LargestErrors{kInfinity, kInfinity}
                                             : LargestErrors{error, error / (std::fabs(expected[i]) + 1e-8)});
        }
        const LargestErrors errors = largest_errors(got.view(), expected);
        EXPECT_EQ(errors.absolute, wanted.absolute) << to_string(dtype) << ' ' << count;
        EXPECT_EQ(errors.relative, wanted.relative) << to_string(dtype) << ' ' << count;
      }
    }
  }
}

TEST(LargestErrors, AreFoundInEveryPiece) {
  constexpr std::size_t kCount = 300'000;
  const auto expected = normals(kCount, 3);
  for (const std::size_t at : {std::size_t{0}, kCount / 2, kCount - 1}) {
    auto values = expected;
    values[at] += 64;
    EXPECT_NEAR(largest_errors(floats({kCount}, values).view(), expected).absolute, 64, 1e-4) << at;
  }
}

}  // namespace
}  // namespace assay::tensor
