#include <assay/operators/dsa_topk_indexer/comparison.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/crafted_scores.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Rows of 100, 20 and 0 tokens with a right answer, to be spoiled. The long row's scores are 1000, 999, … 901 by
/// position, until a test changes them.
class DsaTopkComparison : public testing::Test {
 protected:
  DsaTopkComparison() : trial_(small(), workload_) {
    small().make_generator(2)->fill(workload_, 0, trial_.arguments());
    std::vector<double> scores(100);
    for (std::size_t position = 0; position < scores.size(); ++position) {
      scores[position] = 1000 - static_cast<double>(position);
    }
    set_scores(scores);
  }
  void SetUp() override {
    ASSERT_EQ(judge(), "");
    ASSERT_EQ(trial_.judge_officially(expected_), "");
  }

  void set_scores(const std::vector<double>& scores) {
    base::Philox random(3, 4);
    write_scores(call_of(trial_, kSmall), 0, scores, random, trial_.arguments());
    expected_ = trial_.reference();
    write_expected(trial_, expected_);
  }
  [[nodiscard]] std::string judge() const { return trial_.judge(expected_); }
  [[nodiscard]] std::span<std::int32_t> ids(std::size_t row = 0) {
    return trial_.out<std::int32_t>(0).subspan(row * 64, 64);
  }
  [[nodiscard]] std::int32_t token(std::size_t position, std::size_t row = 0) {
    return static_cast<std::int32_t>(call_of(trial_, kSmall).token(row, position));
  }
  /// Chooses one token in another's place.
  void swap_in(std::int32_t in, std::int32_t out) { *std::find(ids().begin(), ids().end(), out) = in; }

  task::Workload workload_ = make_workload(kSmall, {100, 20, 0}, "comparison", 10);
  OperatorTrial trial_;
  std::vector<ExpectedValues> expected_;
};

TEST_F(DsaTopkComparison, OrderIsFree) {
  base::Philox random(1, 1);
  for (const std::size_t row : {0U, 1U}) {
    shuffle<std::int32_t>(ids(row), random);
  }
  const auto padding = std::find(ids(1).begin(), ids(1).end(), -1);
  ASSERT_TRUE(std::any_of(padding, ids(1).end(), [](std::int32_t id) { return id >= 0; })) << "padding is shuffled too";
  EXPECT_EQ(judge(), "");
  EXPECT_EQ(trial_.judge_officially(expected_), "");
}

TEST_F(DsaTopkComparison, ATokenOutOfReachIsNamed) {
  const std::int32_t right = ids()[7];
  const auto expect = [&](std::int32_t id, const std::string& part) {
    ids()[7] = id;
    EXPECT_THAT(judge(), AllOf(StartsWith("topk_indices[0, 7] is "), HasSubstr(part)));
    ids()[7] = right;
  };
  const auto pages = static_cast<std::int32_t>(trial_.axis("num_pages"));
  expect(pages * 16, "is neither -1 nor the id of a token of the cache");
  expect(std::numeric_limits<std::int32_t>::max(), "2147483647, which is neither");
  expect(std::numeric_limits<std::int32_t>::min(), "-2147483648, which is neither");
  expect(-2, "-2, which is neither");
  expect(token(3, 1), "on a page that row 0 does not have");
  expect(token(99) + 1, "lies beyond seq_lens[0] = 100");
  expect(ids()[6], "once more");
  EXPECT_EQ(judge(), "");
}

TEST_F(DsaTopkComparison, TheRestOfTheTableIsNotReached) {
  // Row 1 has 20 tokens, on two of its ten pages; the next entry is a page like any other.
  ids(1)[5] = call_of(trial_, kSmall).page(1, 2) * 16 + 3;
  EXPECT_THAT(judge(), StartsWith("topk_indices[1, 5]"));
  EXPECT_NE(trial_.judge_officially(expected_), "");
}

TEST_F(DsaTopkComparison, TheCountMustBeRight) {
  const std::int32_t lost = ids()[63];
  ids()[63] = -1;
  EXPECT_THAT(judge(), HasSubstr("topk_indices[0, 63] is -1: row 0 chooses 63 tokens, not min(topk, seq_len) = 64"));
  ids()[63] = lost;
  ids(1)[19] = -1;
  EXPECT_THAT(judge(), HasSubstr("row 1 chooses 19 tokens, not min(topk, seq_len) = 20"));
  ids(1)[40] = token(19, 1);
  EXPECT_EQ(judge(), "") << "-1 may stand anywhere";
  ids(2)[0] = 0;
  EXPECT_THAT(judge(), HasSubstr("topk_indices[2, 0] is token 0"));
}

TEST_F(DsaTopkComparison, AWorseTokenIsNamedWithTheBetterOneThatIsLeftOut) {
  swap_in(token(90), token(10));
  const auto mismatch =
      small().compare(trial_.axes(), trial_.const_arguments(), 0, tensor::as_const(trial_.output(0)), expected_);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->flat, 10U);
  EXPECT_EQ(mismatch->got, token(90));
  EXPECT_EQ(mismatch->expected, token(10));
  // Everything that was chosen and scores less than what was left out is wrong: positions 11 to 63 and 90.
  EXPECT_EQ(mismatch->mismatched_elements, 54U);
  EXPECT_EQ(mismatch->elements, 3U * 64U);
  EXPECT_THAT(mismatch->reason, AllOf(HasSubstr(fmt::format("is token {} with score 910", token(90))),
                                      HasSubstr(fmt::format("while token {} with score 990", token(10))),
                                      HasSubstr("54 of 192 elements in 1 of 3 rows are wrong")));
}

TEST_F(DsaTopkComparison, ScoresWithinTheBoundMayBeSwappedAndOthersNot) {
  std::vector<double> scores(100, 1);
  std::fill(scores.begin(), scores.begin() + 63, 2);
  scores[63] = 1.5;
  // Two slacks are 2^-13 of the score.
  for (const double part : {0.0, 0.1, 0.5, 0.9, 1.1, 2.0, 10.0}) {
    scores[80] = 1.5 * (1 - part * 0x1p-13);
    set_scores(scores);
    swap_in(token(80), token(63));
    EXPECT_EQ(judge() == "", part < 1) << part << ": " << judge();
  }
}

TEST_F(DsaTopkComparison, OfficiallyOnePartInAHundredMayBeLost) {
  std::vector<double> scores(100, 1000);
  scores[80] = 991;
  std::fill(scores.begin() + 64, scores.begin() + 80, 0.5);
  std::fill(scores.begin() + 81, scores.end(), 0.5);
  set_scores(scores);
  swap_in(token(80), token(5));
  EXPECT_NE(judge(), "");
  EXPECT_EQ(trial_.judge_officially(expected_), "") << "0.9 % is within their tolerance";
  swap_in(token(70), token(6));
  EXPECT_THAT(trial_.judge_officially(expected_),
              AllOf(StartsWith("by the rule of flashinfer-bench topk_indices[0, 63]"), HasSubstr("expected 1000")));
}

TEST_F(DsaTopkComparison, OfficialRulesOnIds) {
  const std::int32_t right = ids()[7];
  for (const std::int32_t id : {token(3, 1), token(99) + 1, ids()[8], -1, -5}) {
    ids()[7] = id;
    EXPECT_NE(trial_.judge_officially(expected_), "") << id;
  }
  ids()[7] = right;
  // Whatever is negative is padding to them, but not to us.
  ids(1)[40] = -7;
  EXPECT_EQ(trial_.judge_officially(expected_), "");
  EXPECT_THAT(judge(), StartsWith("topk_indices[1, 40] is -7"));
}

TEST_F(DsaTopkComparison, EqualScoresMayBeSwappedFreely) {
  std::vector<double> scores(100, 5);
  for (std::size_t position = 0; position < 30; ++position) {
    scores[position] = 7;
  }
  set_scores(scores);
  // Of 70 that score 5, any 34.
  for (std::size_t i = 30; i < 64; ++i) {
    swap_in(token(i + 36), token(i));
  }
  EXPECT_EQ(judge(), "");
  swap_in(token(31), token(2));
  EXPECT_THAT(judge(), HasSubstr("with score 7"));
}

TEST_F(DsaTopkComparison, ATokenWhoseScoreIsNotANumberMayBeChosenOrNot) {
  store(trial_.input(kCache).bytes.subspan(kSmall.scale_at(static_cast<std::size_t>(token(99)))), 0,
        std::numeric_limits<float>::quiet_NaN());
  expected_ = trial_.reference();
  write_expected(trial_, expected_);
  EXPECT_EQ(ids()[0], token(99)) << "as torch.topk has it";
  EXPECT_EQ(judge(), "");
  swap_in(token(63), token(99));
  EXPECT_EQ(judge(), "");
  // It excuses nothing else.
  swap_in(token(70), token(63));
  EXPECT_NE(judge(), "");
}

TEST_F(DsaTopkComparison, OneInfiniteScaleDoesNotHideTheRest) {
  store(trial_.input(kCache).bytes.subspan(kSmall.scale_at(static_cast<std::size_t>(token(10)))), 0,
        std::numeric_limits<float>::infinity());
  expected_ = trial_.reference();
  write_expected(trial_, expected_);
  EXPECT_EQ(judge(), "");
  swap_in(token(64), token(10));
  EXPECT_EQ(judge(), "") << "a kernel whose sum was infinity minus infinity";
  swap_in(token(80), token(20));
  EXPECT_NE(judge(), "");
}

TEST_F(DsaTopkComparison, APageThatARowHasTwiceIsTwiceAsManyTokens) {
  // Row 1: 20 tokens on pages p, p. Then tokens 0 to 3 of the page are there twice.
  const std::span<std::int32_t> table = trial_.in<std::int32_t>(kBlockTable);
  table[10 + 1] = table[10];
  expected_ = trial_.reference();
  write_expected(trial_, expected_);
  EXPECT_EQ(std::count(ids(1).begin(), ids(1).end(), token(0, 1)), 2);
  EXPECT_EQ(judge(), "");
  EXPECT_THAT(trial_.judge_officially(expected_), HasSubstr("once more")) << "they never allow an id twice";
  ids(1)[19] = token(4, 1);
  EXPECT_THAT(judge(), HasSubstr("once more")) << "token 4 is there once";
}

TEST_F(DsaTopkComparison, EveryWrongRowIsCounted) {
  swap_in(token(99), token(0));
  ids(1)[0] = ids(1)[1];
  EXPECT_THAT(judge(), AllOf(StartsWith("topk_indices[0, 0]"), HasSubstr("in 2 of 3 rows")));
}

TEST_F(DsaTopkComparison, PoisonFails) {
  for (const int poison : {0xff, 0x7f, 0x00, 0x80}) {
    std::fill(trial_.output(0).bytes.begin(), trial_.output(0).bytes.end(), static_cast<std::byte>(poison));
    EXPECT_NE(judge(), "") << poison;
    EXPECT_NE(trial_.judge_officially(expected_), "") << poison;
  }
}

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
