#include <assay/tensor/shape.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::tensor {
namespace {

using testing::ElementsAre;

TEST(Shape, ElementCount) {
  EXPECT_EQ(element_count({}), 1U);
  EXPECT_EQ(element_count({7}), 7U);
  EXPECT_EQ(element_count({2, 3, 4}), 24U);
  EXPECT_EQ(element_count({2, 0, 4}), 0U);
}

TEST(Shape, AnEmptyTensorHasNoElementsHoweverLargeItsOtherAxes) {
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_EQ(element_count({large, large, 0}), 0U);
}

TEST(ShapeDeathTest, ImpossibleExtentsAreBugs) {
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_DEATH(static_cast<void>(element_count({-1})), "extent >= 0");
  EXPECT_DEATH(static_cast<void>(element_count({large, large})), "overflow");
  EXPECT_DEATH(static_cast<void>(unravel(6, {2, 3})), "flat <");
}

TEST(Shape, UnravelCountsRowMajor) {
  EXPECT_THAT(unravel(0, {2, 3, 4}), ElementsAre(0, 0, 0));
  EXPECT_THAT(unravel(1, {2, 3, 4}), ElementsAre(0, 0, 1));
  EXPECT_THAT(unravel(4, {2, 3, 4}), ElementsAre(0, 1, 0));
  EXPECT_THAT(unravel(23, {2, 3, 4}), ElementsAre(1, 2, 3));
  EXPECT_THAT(unravel(0, {}), ElementsAre());
}

TEST(Shape, UnravelIsTheInverseOfRavel) {
  const Shape shape{3, 1, 5, 2};
  std::size_t flat = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t k = 0; k < 5; ++k) {
      for (std::int64_t l = 0; l < 2; ++l) {
        EXPECT_THAT(unravel(flat++, shape), ElementsAre(i, 0, k, l));
      }
    }
  }
}

TEST(Shape, Text) {
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string({3}), "[3]");
  EXPECT_EQ(to_string({3, 0, 17}), "[3, 0, 17]");
}

}  // namespace
}  // namespace assay::tensor
