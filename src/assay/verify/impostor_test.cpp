#include <assay/verify/impostor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include <assay/tensor/rounding.hpp>

namespace assay::verify {
namespace {

using testing::Each;
using testing::ElementsAre;

class ImpostorTest : public testing::Test {
 protected:
  // What the impostor of a [2, 4] output that should be 1 … 8 holds; empty: there is none.
  std::vector<double> make(Impostor impostor, tensor::DType dtype = tensor::DType::float32) {
    std::vector<std::byte> bytes(tensor::byte_size(dtype, 8), std::byte{0x55});
    const tensor::View output{"y", dtype, shape_, bytes};
    if (!make_impostor(impostor,
                       {expected_, stale_, inputs_, tensor::is_floating(dtype) ? tensor::significant_bits(dtype) : 0},
                       output, random_)) {
      return {};
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < 8; ++i) {
      values.push_back(tensor::element(tensor::as_const(output), i));
    }
    return values;
  }

  tensor::Shape shape_ = {2, 4};
  std::vector<double> expected_ = {1, 2, 3, 4, 5, 6, 7, 8.125};
  std::vector<double> stale_ = {8, 7, 6, 5, 4, 3, 2, 1};
  std::vector<float> input_ = {10, 20};
  std::vector<operators::ConstArgument> inputs_ = {
      operators::Scalar(1.0), tensor::ConstView{"x", tensor::DType::float32, {2}, std::as_bytes(std::span(input_))}};
  base::Philox random_{1, 2};
};

TEST_F(ImpostorTest, EachIsWhatItsNameSays) {
  EXPECT_THAT(make(Impostor::zeros), Each(0));
  EXPECT_THAT(make(Impostor::constant), Each(testing::DoubleNear(5.08, 0.03)));
  EXPECT_THAT(make(Impostor::copied_input), ElementsAre(10, 20, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(make(Impostor::stale), ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(make(Impostor::wrong_row), ElementsAre(5, 6, 7, 8.125, 1, 2, 3, 4));
}

TEST_F(ImpostorTest, LessPrecisionKeepsFewerBits) {
  EXPECT_EQ(make(Impostor::less_precision).back(), 8.125);                       // 11 bits hold it …
  EXPECT_EQ(make(Impostor::less_precision, tensor::DType::bfloat16).back(), 8);  // … 4 do not.
  expected_[0] = 1 + 0x1p-12;
  EXPECT_EQ(make(Impostor::less_precision)[0], 1);
}

TEST_F(ImpostorTest, ADroppedTileIsSomewhere) {
  std::set<std::size_t> places;
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> values = make(Impostor::dropped_tile);
    ASSERT_EQ(std::count(values.begin(), values.end(), 0.0), 1);
    places.insert(static_cast<std::size_t>(std::find(values.begin(), values.end(), 0.0) - values.begin()));
  }
  EXPECT_EQ(places.size(), 8U);
  const std::vector<double> indices = make(Impostor::dropped_tile, tensor::DType::int32);
  EXPECT_EQ(std::count(indices.begin(), indices.end(), -1.0), 1);
}

TEST_F(ImpostorTest, WhereThereIsNoneItSaysSo) {
  EXPECT_TRUE(make(Impostor::copied_input, tensor::DType::bfloat16).empty());
  EXPECT_TRUE(make(Impostor::less_precision, tensor::DType::int32).empty());
  shape_ = {1, 8};
  EXPECT_FALSE(make(Impostor::wrong_row).empty());  // The second axis has rows of one element.
  shape_ = {1, 1, 1};
  expected_ = {1};
  stale_ = {2};
  std::vector<std::byte> bytes(4);
  EXPECT_FALSE(make_impostor(Impostor::wrong_row, {expected_, stale_, inputs_, 24},
                             {"y", tensor::DType::float32, shape_, bytes}, random_));
}

TEST(Impostors, HaveWordsAndSentencesOfTheirOwn) {
  std::set<std::string_view> words;
  for (const Impostor impostor : all_impostors()) {
    EXPECT_TRUE(words.insert(to_string(impostor)).second);
    EXPECT_TRUE(words.insert(description(impostor)).second);
  }
}

}  // namespace
}  // namespace assay::verify
