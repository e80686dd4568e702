#include <assay/operators/moe_fp8_block_scale/comparison.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

#include <assay/operators/moe_fp8_block_scale/float32_for_test.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/trial_for_test.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

using testing::HasSubstr;

constexpr std::size_t kWidth = kSmall.hidden;

/// A right output, to be spoiled.
class MoeSpoiled : public testing::Test {
 protected:
  MoeSpoiled() : trial_(make_stressed(Kind::moderate_gates, 30)), expected_(trial_.reference()) {
    run_float32(kSmall, trial_, {});
    for (std::size_t t = 0; t < 30; ++t) {
      (expected_[0][t * kWidth] == 0 ? zero_row_ : full_row_) = t;
    }
  }
  void SetUp() override {
    ASSERT_EQ(trial_.judge(expected_), "");
    ASSERT_EQ(expected_[0][zero_row_ * kWidth], 0);
    ASSERT_NE(expected_[0][full_row_ * kWidth], 0);
  }
  std::span<std::uint16_t> output() { return trial_.out<std::uint16_t>(0); }

  OperatorTrial trial_;
  std::vector<ExpectedValues> expected_;
  std::size_t zero_row_ = 0;
  std::size_t full_row_ = 0;
};

TEST_F(MoeSpoiled, OneElementOfAnyKindOfPoisonFails) {
  const std::size_t at = full_row_ * kWidth + 77;
  const std::uint16_t right = output()[at];
  for (const unsigned poison : {0xffffU, 0x7f80U, 0xff80U, 0x7149U, 0xf149U}) {
    output()[at] = static_cast<std::uint16_t>(poison);
    EXPECT_THAT(trial_.judge(expected_), HasSubstr("output[" + std::to_string(full_row_) + "][77] is")) << poison;
  }
  output()[at] = right;
  EXPECT_EQ(trial_.judge(expected_), "");
}

TEST_F(MoeSpoiled, AZeroRowMustBeZeroAndNotNearIt) {
  output()[zero_row_ * kWidth + 3] = 0x0001;  // The smallest denormal.
  EXPECT_THAT(trial_.judge(expected_), HasSubstr("1 of 30 tokens are wrong"));
  output()[zero_row_ * kWidth + 3] = 0x8000;
  EXPECT_EQ(trial_.judge(expected_), "") << "a negative zero is zero";
}

TEST_F(MoeSpoiled, OneTokenThatIsTwoPercentTooLargeDoesNotHide) {
  for (std::size_t h = 0; h < kWidth; ++h) {
    std::uint16_t& value = output()[full_row_ * kWidth + h];
    value = tensor::to_bfloat16(tensor::from_bfloat16(value) * 1.02F);
  }
  EXPECT_THAT(trial_.judge(expected_), HasSubstr("1 of 30 tokens are wrong"));
}

TEST_F(MoeSpoiled, TheMismatchNamesTheWorstTokenAndCountsAll) {
  for (const std::size_t t : {zero_row_, full_row_}) {
    for (std::size_t h = 0; h < kWidth; ++h) {
      output()[t * kWidth + h] = 0;
    }
  }
  const auto mismatch =
      small().compare(trial_.axes(), trial_.const_arguments(), 0, tensor::as_const(trial_.output(0)), expected_);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->index[0], static_cast<std::int64_t>(full_row_));
  EXPECT_EQ(mismatch->flat, full_row_ * kWidth + static_cast<std::size_t>(mismatch->index[1]));
  EXPECT_EQ(mismatch->expected, expected_[0][mismatch->flat]);
  EXPECT_EQ(mismatch->got, 0);
  EXPECT_EQ(mismatch->elements, 30 * kWidth);
  EXPECT_GT(mismatch->mismatched_elements, kWidth / 2);
  EXPECT_LE(mismatch->mismatched_elements, kWidth);
  EXPECT_THAT(mismatch->reason, HasSubstr("1 of 30 tokens are wrong"));
}

TEST_F(MoeSpoiled, TwoRowsExchangedFail) {
  std::swap_ranges(output().begin() + static_cast<std::ptrdiff_t>(full_row_ * kWidth),
                   output().begin() + static_cast<std::ptrdiff_t>((full_row_ + 1) * kWidth),
                   output().begin() + static_cast<std::ptrdiff_t>(zero_row_ * kWidth));
  EXPECT_THAT(trial_.judge(expected_), HasSubstr("2 of 30 tokens are wrong"));
}

TEST_F(MoeSpoiled, StaleOutputsFail) {
  OperatorTrial next = make_stressed(Kind::moderate_gates, 30, 1);
  std::copy(output().begin(), output().end(), next.out<std::uint16_t>(0).begin());
  EXPECT_NE(next.judge(next.reference()), "");
}

class MoeTies : public testing::TestWithParam<Kind> {};

TEST_P(MoeTies, BothOrdersArePassedAndAMixtureToo) {
  for (std::uint64_t call = 0; call < 4; ++call) {
    OperatorTrial trial = make_stressed(GetParam(), 33, call);
    const auto expected = trial.reference();
    run_float32(kSmall, trial, {});
    EXPECT_EQ(trial.judge(expected), "") << "lowest index first, call " << call;
    const std::vector<std::uint16_t> lowest(trial.out<std::uint16_t>(0).begin(), trial.out<std::uint16_t>(0).end());
    run_float32(kSmall, trial, {.highest_index_first = true});
    EXPECT_EQ(trial.judge(expected), "") << "highest index first, call " << call;
    EXPECT_FALSE(std::ranges::equal(lowest, trial.out<std::uint16_t>(0))) << "the order matters, or nothing is tested";
    std::copy_n(lowest.begin(), 16 * kWidth, trial.out<std::uint16_t>(0).begin());
    EXPECT_EQ(trial.judge(expected), "") << "each token by itself";
  }
}

TEST_P(MoeTies, BothOrdersArePassedOfAKernelThatStoresCInFp8) {
  for (std::uint64_t call = 0; call < 4; ++call) {
    OperatorTrial trial = make_stressed(GetParam(), 33, call);
    const auto expected = trial.reference();
    for (const bool highest : {false, true}) {
      run_float32(kSmall, trial, {.float8_intermediate = true, .highest_index_first = highest});
      EXPECT_EQ(trial.judge(expected), "") << (highest ? "highest" : "lowest") << " index first, call " << call;
      run_float32(kSmall, trial, {.float8_intermediate = true, .highest_index_first = highest},
                  Mistake::one_expert_fewer);
      EXPECT_NE(trial.judge(expected), "") << call;
      run_float32(kSmall, trial, {.highest_index_first = highest}, Mistake::float8_twice);
      EXPECT_NE(trial.judge(expected), "") << call;
    }
  }
}

TEST_P(MoeTies, AWrongRowIsToldByTheNearestOfItsLegalSelections) {
  OperatorTrial trial = make_stressed(GetParam(), 33);
  const auto expected = trial.reference();
  run_float32(kSmall, trial, {.highest_index_first = true});
  for (std::uint16_t& value : trial.out<std::uint16_t>(0)) {
    value = tensor::to_bfloat16(tensor::from_bfloat16(value) * 1.25F);
  }
  const auto mismatch =
      small().compare(trial.axes(), trial.const_arguments(), 0, tensor::as_const(trial.output(0)), expected);
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_NEAR(mismatch->worst_block_norm_error, 0.25, 0.01);
}

TEST_P(MoeTies, OnlyLegalSelectionsArePassed) {
  OperatorTrial trial = make_stressed(GetParam(), 33);
  const auto expected = trial.reference();
  for (const Mistake mistake :
       {Mistake::one_expert_fewer, Mistake::no_factor, Mistake::zeros, Mistake::next_token_weights}) {
    run_float32(kSmall, trial, {}, mistake);
    EXPECT_NE(trial.judge(expected), "");
  }
  // Half of one legal row and half of another is none.
  run_float32(kSmall, trial, {.highest_index_first = true});
  std::vector<std::uint16_t> highest(trial.out<std::uint16_t>(0).begin(), trial.out<std::uint16_t>(0).end());
  run_float32(kSmall, trial, {});
  for (std::size_t t = 0; t < 33; ++t) {
    std::copy_n(highest.begin() + static_cast<std::ptrdiff_t>(t * kWidth), kWidth / 2,
                trial.out<std::uint16_t>(0).begin() + static_cast<std::ptrdiff_t>(t * kWidth));
  }
  EXPECT_THAT(trial.judge(expected), HasSubstr("legal selections of experts)"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, MoeTies, testing::Values(Kind::expert_ties, Kind::group_ties),
                         [](const auto& instance) {
                           return std::string(kStressKinds[static_cast<std::size_t>(instance.param)].name);
                         });

TEST(MoeOfficialRule, IsTheContestsAndTakesOneTokenInTenForNothing) {
  OperatorTrial trial = make_stressed(Kind::hot_group, 40);
  const auto expected = trial.reference();
  run_float32(kSmall, trial, {}, Mistake::tenth_token_dropped);
  EXPECT_EQ(trial.judge_officially(expected), "");
  EXPECT_THAT(trial.judge(expected), HasSubstr("4 of 40 tokens are wrong"));
  run_float32(kSmall, trial, {}, Mistake::zeros);
  EXPECT_NE(trial.judge_officially(expected), "");
}

}  // namespace
}  // namespace assay::operators::moe_fp8_block_scale
