// Runs float32 kernels, right and wrong, against the operator: what docs/operators/dsa_topk_indexer.md says about
// tolerances and planted mistakes is printed and asserted by
//   --gtest_filter='*DsaTopkKernel*:*DsaTopkMistake*'
#include <assay/operators/dsa_topk_indexer/kernel_for_test.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

#include <assay/operators/dsa_topk_indexer/scores.hpp>
#include <assay/operators/dsa_topk_indexer/selector_for_test.hpp>
#include <assay/operators/dsa_topk_indexer/stress.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

using Sum = Style::Sum;
using Select = Style::Select;
using Order = Style::Order;

const std::vector<Style>& honest_styles() {
  static const std::vector<Style> kStyles = {
      {Sum::one_strand, false, false, Select::sort, Order::as_chosen},
      {Sum::eight_fused, true, false, Select::partition, Order::ascending},
      {Sum::one_strand, true, true, Select::radix, Order::padding_first},
      {Sum::one_strand, false, true, Select::half_bins, Order::as_chosen},
      {Sum::tensor_core, false, false, Select::radix, Order::as_chosen},
  };
  return kStyles;
}

std::string judge(OperatorTrial& trial, const Dimensions& dimensions, const std::vector<ExpectedValues>& expected,
                  const Style& style, Mistake mistake = Mistake::none) {
  // What an element holds that no kernel wrote: not -1, which is a right one.
  std::fill(trial.output(0).bytes.begin(), trial.output(0).bytes.end(), std::byte{0x6b});
  run_kernel(trial, dimensions, style, mistake);
  return trial.judge(expected);
}

/// Largest error of a kernel's scores, in parts of what bounds the magnitudes that are added up.
double relative_error(OperatorTrial& trial, const Dimensions& dimensions, const std::vector<ExpectedValues>& expected,
                      const Style& style) {
  const std::vector<float> scores = kernel_scores(trial, dimensions, 0, style);
  double worst = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double error = std::fabs(static_cast<double>(scores[i]) - expected[kScores][i]);
    worst = std::max(worst, error / expected[kSlacks][i] * kRelativeSlack);
  }
  return worst;
}

TEST(DsaTopkKernel, HonestKernelsPassTwoThousandStressTrials) {
  std::size_t trials = 0;
  for (const std::uint64_t seed : {11U, 12U, 13U, 14U}) {
    const auto generator = small().make_generator(seed);
    for (std::uint64_t index = 0; index < 500; ++index) {
      OperatorTrial trial = stressed_trial(small(), *generator, seed, index);
      const auto expected = trial.reference();
      for (std::size_t style = 0; style < honest_styles().size(); ++style) {
        ASSERT_EQ(judge(trial, kSmall, expected, honest_styles()[style]), "")
            << "seed " << seed << " trial " << index << " (" << kStressKinds[index % 10].name << ") style " << style;
      }
      ++trials;
    }
  }
  EXPECT_EQ(trials, 2000U);
}

TEST(DsaTopkKernel, HonestKernelsPassOfficialContentsByBothRules) {
  for (const Operator* op : instances()) {
    const Dimensions dimensions = op == &small() ? kSmall : kContest;
    const auto longest = static_cast<std::int64_t>(dimensions.topk * 3 / 2);
    const task::Workload workload = make_workload(dimensions, {longest, 100, 1}, "official");
    OperatorTrial trial = official_trial(*op, workload, 6);
    const auto expected = trial.reference();
    for (const Style& style : honest_styles()) {
      EXPECT_EQ(judge(trial, dimensions, expected, style), "");
      EXPECT_EQ(trial.judge_officially(expected), "");
      std::printf("%-8s sum %d scales_key %d: scores within %.2e of what is added up\n",
                  op == &small() ? "small" : "contest", static_cast<int>(style.sum), style.scales_key ? 1 : 0,
                  relative_error(trial, dimensions, expected, style));
    }
  }
}

TEST(DsaTopkKernel, HonestFloat32NeedsLittleOfTheBound) {
  OperatorTrial trial = official_trial(contest(), make_workload(kContest, {2400}, "bound"), 7);
  const auto expected = trial.reference();
  for (const Style& style : honest_styles()) {
    const double error = relative_error(trial, kContest, expected, style);
    EXPECT_LT(error, style.sum == Sum::tensor_core ? kRelativeSlack / 4 : kRelativeSlack / 1000);
    EXPECT_GT(error, 0);
  }
}

// Mistakes ----------

struct NamedMistake {
  const char* name;
  Mistake mistake;
};

/// Returns the first of stress trials 0 … 9 that catches a mistake.
std::optional<std::uint64_t> first_that_catches(const Operator& op, const Dimensions& dimensions,
                                                InputGenerator& generator, std::uint64_t seed, Mistake mistake,
                                                std::uint64_t trials, std::uint64_t largest_bytes) {
  for (std::uint64_t index = 0; index < trials; ++index) {
    OperatorTrial trial = stressed_trial(op, generator, seed, index, largest_bytes);
    const auto expected = trial.reference();
    if (judge(trial, dimensions, expected, {}, mistake) != "") {
      return index;
    }
  }
  return std::nullopt;
}

class DsaTopkMistake : public testing::TestWithParam<NamedMistake> {};

TEST_P(DsaTopkMistake, IsCaughtWithinTenStressTrials) {
  std::string caught;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto generator = small().make_generator(seed);
    const auto first = first_that_catches(small(), kSmall, *generator, seed, GetParam().mistake, 10, kSmallBytes);
    ASSERT_TRUE(first.has_value()) << "seed " << seed;
    caught += fmt::format(" {}", *first);
  }
  std::printf("%-22s first caught by trial%s\n", GetParam().name, caught.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    All, DsaTopkMistake,
    testing::Values(
        NamedMistake{"interleaved_page", Mistake::interleaved_page},
        NamedMistake{"next_token_scale", Mistake::next_token_scale},
        NamedMistake{"first_token_scale", Mistake::first_token_scale}, NamedMistake{"next_page", Mistake::next_page},
        NamedMistake{"first_row_query", Mistake::first_row_query},
        NamedMistake{"positions_for_ids", Mistake::positions_for_ids}, NamedMistake{"no_scale", Mistake::no_scale},
        NamedMistake{"no_relu", Mistake::no_relu}, NamedMistake{"no_weights", Mistake::no_weights},
        NamedMistake{"absolute_weights", Mistake::absolute_weights},
        NamedMistake{"swapped_heads", Mistake::swapped_heads},
        NamedMistake{"last_head_missing", Mistake::last_head_missing},
        NamedMistake{"half_of_the_key", Mistake::half_of_the_key}, NamedMistake{"whole_table", Mistake::whole_table},
        NamedMistake{"last_token_missing", Mistake::last_token_missing},
        NamedMistake{"partial_page_missing", Mistake::partial_page_missing},
        NamedMistake{"unwritten_padding", Mistake::unwritten_padding},
        NamedMistake{"zero_padding", Mistake::zero_padding}, NamedMistake{"first_tokens", Mistake::first_tokens},
        NamedMistake{"lowest", Mistake::lowest}, NamedMistake{"negative_as_zero", Mistake::negative_as_zero},
        NamedMistake{"one_long_row", Mistake::one_long_row}, NamedMistake{"small_buffer", Mistake::small_buffer},
        NamedMistake{"ties_in_order", Mistake::ties_in_order}, NamedMistake{"ties_left_out", Mistake::ties_left_out},
        NamedMistake{"guessed_threshold", Mistake::guessed_threshold}, NamedMistake{"short_key", Mistake::short_key},
        NamedMistake{"half_bins_of_8_bits", Mistake::half_bins_of_8_bits},
        NamedMistake{"half_bins_of_11_bits", Mistake::half_bins_of_11_bits},
        NamedMistake{"half_bins_of_16_bits", Mistake::half_bins_of_16_bits},
        NamedMistake{"bfloat16_dot", Mistake::bfloat16_dot}, NamedMistake{"bfloat16_score", Mistake::bfloat16_score},
        NamedMistake{"float16_score", Mistake::float16_score}),
    [](const auto& instance_of) { return instance_of.param.name; });

// The public defect ----------

class DsaTopkHalfBins : public testing::TestWithParam<Mistake> {};

TEST_P(DsaTopkHalfBins, FailWithinFiveStressTrialsWhateverTheSeed) {
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    const auto generator = small().make_generator(seed);
    const auto first = first_that_catches(small(), kSmall, *generator, seed, GetParam(), 5, kSmallBytes);
    ASSERT_TRUE(first.has_value()) << "seed " << seed;
  }
}

TEST_P(DsaTopkHalfBins, FailWithinFiveStressTrialsAtTheContestsSize) {
  for (std::uint64_t seed = 100; seed < 102; ++seed) {
    const auto generator = contest().make_generator(seed);
    const auto first =
        first_that_catches(contest(), kContest, *generator, seed, GetParam(), 5, std::uint64_t{4} << 20U);
    ASSERT_TRUE(first.has_value()) << "seed " << seed;
  }
}

TEST_P(DsaTopkHalfBins, PassThreeTrialsOfTheOfficialContents) {
  // Lengths of a contest workload, the cache made smaller than its 11,923 pages.
  const task::Workload workload = make_workload(
      kContest, {288, 4, 1884, 21, 136, 2405, 42, 335, 21, 15, 304, 436, 14, 9, 15, 1231}, "official random");
  const auto generator = contest().make_generator(1);
  OperatorTrial trial(contest(), workload);
  for (std::uint64_t call = 0; call < 3; ++call) {
    generator->fill(workload, call, trial.arguments());
    const auto expected = trial.reference();
    EXPECT_EQ(judge(trial, kContest, expected, {}, GetParam()), "") << "our rule, call " << call;
    EXPECT_EQ(trial.judge_officially(expected), "") << "theirs, call " << call;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DsaTopkHalfBins,
                         testing::Values(Mistake::half_bins_of_8_bits, Mistake::half_bins_of_11_bits,
                                         Mistake::half_bins_of_16_bits));

TEST(DsaTopkKernel, TheirRuleLetsHalfTheMistakesOfPrecisionPassEvenUnderStress) {
  // What the official tolerance of 1 % of each sorted score cannot separate.
  for (const Mistake mistake : {Mistake::bfloat16_dot, Mistake::float16_dot, Mistake::half_bins_of_16_bits}) {
    std::size_t ours = 0;
    std::size_t theirs = 0;
    const auto generator = contest().make_generator(5);
    for (const std::uint64_t index : {0U, 2U}) {
      OperatorTrial trial = stressed_trial(contest(), *generator, 5, index, std::uint64_t{4} << 20U);
      const auto expected = trial.reference();
      ours += judge(trial, kContest, expected, {}, mistake) != "" ? 1U : 0U;
      theirs += trial.judge_officially(expected) != "" ? 1U : 0U;
    }
    EXPECT_GE(ours, 1U) << static_cast<int>(mistake);
    EXPECT_EQ(theirs, 0U) << static_cast<int>(mistake);
  }
}

// The selectors of this test are right themselves ----------

TEST(DsaTopkSelector, AllHonestOnesChooseTheHighest) {
  base::Philox random(1, 1);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> scores(1 + random.next_below(300));
    for (float& score : scores) {
      score = static_cast<float>(random.next_normal() * std::exp2(4 * random.next_normal()));
      score = random.next_below(3) == 0 ? std::round(score) : score;
    }
    const std::size_t count = 1 + random.next_below(scores.size());
    const auto chosen_scores = [&](const Positions& positions) {
      std::vector<float> chosen;
      for (const std::size_t at : positions) {
        chosen.push_back(scores[at] + 0.0F);  // -0 is 0.
      }
      std::sort(chosen.begin(), chosen.end());
      EXPECT_EQ(std::set<std::size_t>(positions.begin(), positions.end()).size(), count);
      return chosen;
    };
    const std::vector<float> sorted = chosen_scores(select_by_sort(scores, count));
    EXPECT_EQ(chosen_scores(select_by_partition(scores, count)), sorted);
    EXPECT_EQ(chosen_scores(select_by_radix(scores, count)), sorted);
    for (const unsigned bits : {8U, 11U, 16U}) {
      EXPECT_EQ(chosen_scores(select_by_half_bins(scores, count, bits, kWholeKey)), sorted);
    }
  }
}

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
