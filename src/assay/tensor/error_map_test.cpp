#include <assay/tensor/error_map.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace assay::tensor {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

std::vector<bool> marked(const Shape& shape, const std::vector<std::vector<std::int64_t>>& places) {
  std::vector<bool> wrong(element_count(shape));
  for (const auto& index : places) {
    std::size_t flat = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      flat = flat * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(index[axis]);
    }
    wrong[flat] = true;
  }
  return wrong;
}

TEST(ErrorMap, OneElementIsNamedAndDrawn) {
  const Shape shape = {2, 3, 4};
  const ErrorMap map = map_errors(shape, marked(shape, {{1, 2, 3}}));
  EXPECT_EQ(map.wrong, 1U);
  EXPECT_EQ(map.sentence, "all wrong elements lie in [1, 2, 3], and there 100 % are wrong");
  EXPECT_THAT(map.picture, ElementsAre("    ", "    ", "    ", "    ", "    ", "   #"));
}

TEST(ErrorMap, ATileIsABox) {
  const Shape shape = {4, 8};
  std::vector<std::vector<std::int64_t>> places;
  for (std::int64_t row = 1; row < 3; ++row) {
    for (std::int64_t column = 4; column < 8; ++column) {
      places.push_back({row, column});
    }
  }
  places.pop_back();
  const ErrorMap map = map_errors(shape, marked(shape, places));
  EXPECT_EQ(map.sentence, "all wrong elements lie in [1..2, 4..7], and there 87.5 % are wrong");
  EXPECT_THAT(map.first, ElementsAre(1, 4));
  EXPECT_THAT(map.last, ElementsAre(2, 7));
  EXPECT_THAT(map.picture, ElementsAre("        ", "    ####", "    ### ", "        "));
}

TEST(ErrorMap, ALargeTensorIsDrawnSmallAndShaded) {
  const Shape shape = {120, 640};
  std::vector<bool> wrong(element_count(shape));
  wrong[0] = true;                           // One of a cell's hundred.
  std::fill_n(wrong.begin() + 10, 5, true);  // Five of the next one's.
  for (std::size_t row = 0; row < 10; ++row) {
    std::fill_n(wrong.begin() + static_cast<std::ptrdiff_t>(row * 640) + 20, 2, true);
  }
  const ErrorMap map = map_errors(shape, wrong);
  ASSERT_THAT(map.picture, SizeIs(12));
  EXPECT_THAT(map.picture, Each(SizeIs(64)));
  EXPECT_EQ(map.picture[0].substr(0, 4), "::+ ");
  EXPECT_EQ(map.picture[1], std::string(64, ' '));
}

TEST(ErrorMap, EverywhereIsSaidSo) {
  EXPECT_EQ(map_errors({2, 2}, {true, false, false, true}).sentence, "wrong elements are everywhere: 50 % of all");
  EXPECT_EQ(map_errors({}, {true}).picture, std::vector<std::string>{"#"});
  EXPECT_TRUE(map_errors({3}, {false, false, false}).sentence.empty());
  EXPECT_TRUE(map_errors({0, 4}, {}).picture.empty());
}

TEST(WrongElements, AreThoseThatTheRuleRefuses) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  const std::vector<float> got = {1.0F, 1.1F, kNan, kEndless, -kEndless, kNan};
  const std::vector<double> expected = {
      1, 1, 1, static_cast<double>(kEndless), static_cast<double>(kEndless), static_cast<double>(kNan)};
  EXPECT_THAT(wrong_elements({"x", DType::float32, {6}, std::as_bytes(std::span(got))}, expected, {.relative = 0.05}),
              ElementsAre(false, true, true, false, true, false));
  // The absolute part follows the root mean square of what is finite, which is 1 here.
  EXPECT_THAT(
      wrong_elements({"x", DType::float32, {6}, std::as_bytes(std::span(got))}, expected, {.absolute_of_rms = 0.2}),
      ElementsAre(false, false, true, false, true, false));
}

}  // namespace
}  // namespace assay::tensor
