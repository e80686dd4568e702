#include <assay/operators/dsa_topk_indexer/stress.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <set>

#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/crafted_scores.hpp>
#include <assay/operators/dsa_topk_indexer/scores.hpp>
#include <assay/operators/dsa_topk_indexer/selector_for_test.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

std::vector<double> highest_first(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return scores;
}

TEST(DsaTopkStress, NamesAreThoseThatFindingsWereFiledUnder) {
  std::vector<std::string_view> names;
  for (const StressKind& kind : small().stress_kinds()) {
    names.push_back(kind.name);
    EXPECT_FALSE(kind.what.empty());
  }
  EXPECT_THAT(names, testing::ElementsAre("power_of_two_straddle", "boundary_ties", "near_ties", "length_edges",
                                          "many_long_rows", "repeated_pages", "mixed_blocks", "all_negative",
                                          "wide_range", "short_rows"));
}

TEST(DsaTopkStress, TrialsHaveEveryKindInTurnAndFitTheirBytes) {
  for (const Operator* op : instances()) {
    const Dimensions dimensions = op == &small() ? kSmall : kContest;
    const std::uint64_t least = dimensions.page_bytes() * (dimensions.pages_of(dimensions.topk + 1) + 10);
    for (const std::uint64_t largest : {4 * least, 16 * least, 64 * least}) {
      for (std::uint64_t index = 0; index < 50; ++index) {
        const StressTrial trial = op->stress_trial(3, index, largest);
        EXPECT_EQ(trial.kind, index % 10);
        EXPECT_EQ(trial.workload.lengths.size(),
                  static_cast<std::size_t>(*task::find(trial.workload.axes, "batch_size")));
        const auto pages = static_cast<std::uint64_t>(*task::find(trial.workload.axes, "num_pages"));
        EXPECT_LE(pages * dimensions.page_bytes(), largest + 40 * dimensions.page_bytes());
      }
    }
  }
}

TEST(DsaTopkStress, ShapesAreManyAndTrialsAreReproducible) {
  std::set<std::vector<std::int64_t>> shapes;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const task::Workload workload = small().stress_trial(4, index, kSmallBytes).workload;
    shapes.insert(workload.lengths);
    const task::Workload again = small().stress_trial(4, index, kSmallBytes).workload;
    EXPECT_EQ(workload.uuid, again.uuid);
    EXPECT_EQ(workload.axes, again.axes);
    EXPECT_EQ(workload.lengths, again.lengths);
  }
  EXPECT_GT(shapes.size(), 80U);
  const auto generator = small().make_generator(4);
  OperatorTrial once = stressed_trial(small(), *generator, 4, 6);
  OperatorTrial twice = stressed_trial(small(), *small().make_generator(4), 4, 6);
  for (std::size_t input = 0; input < kInputCount; ++input) {
    EXPECT_TRUE(
        std::equal(once.input(input).bytes.begin(), once.input(input).bytes.end(), twice.input(input).bytes.begin()));
  }
}

TEST(DsaTopkStress, ALimitThatIsTooSmallStillGivesTheSmallestTrial) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    const StressTrial trial = small().stress_trial(1, index, 1);
    EXPECT_EQ(trial.workload.lengths.size(), 1U);
    EXPECT_LE(trial.workload.lengths[0], 65);
  }
}

/// Visits the long rows of trials of a kind, with their scores, highest first.
template <class Visit>
void visit_long_rows(Stress stress, Visit&& visit) {
  const auto generator = small().make_generator(9);
  std::size_t visited = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    OperatorTrial trial =
        stressed_trial(small(), *generator, 9, round * kStressKinds.size() + static_cast<std::uint64_t>(stress));
    const Call call = call_of(trial, kSmall);
    const auto expected = trial.reference();
    std::size_t at = 0;
    for (std::size_t row = 0; row < call.rows; ++row) {
      if (call.is_long(row)) {
        const auto begin = expected[kScores].begin() + static_cast<std::ptrdiff_t>(at);
        visit(call, row, highest_first({begin, begin + static_cast<std::ptrdiff_t>(call.length(row))}));
        at += call.length(row);
        ++visited;
      }
    }
  }
  EXPECT_GE(visited, 20U);
}

TEST(DsaTopkStress, StraddlingScoresAreOneHalfButTwoExponents) {
  std::size_t top_bytes = 0;
  std::size_t rows = 0;
  visit_long_rows(Stress::power_of_two_straddle, [&](const Call&, std::size_t, const std::vector<double>& scores) {
    const auto last = static_cast<float>(scores[kSmall.topk - 1]);
    const double power = std::exp2(std::round(std::log2(scores[kSmall.topk - 1])));
    const auto below = std::find_if(scores.begin(), scores.end(), [&](double score) { return score < power; });
    ASSERT_NE(below, scores.end());
    EXPECT_GE(last, power);
    EXPECT_EQ(ordered_half_bits(last), ordered_half_bits(static_cast<float>(*below)));
    EXPECT_NE(ordered_bits(last) >> 23U, ordered_bits(static_cast<float>(*below)) >> 23U);
    top_bytes += ordered_bits(last) >> 24U != ordered_bits(static_cast<float>(*below)) >> 24U ? 1U : 0U;
    EXPECT_GT(static_cast<double>(last) - *below, 0x1p-13 * power) << "more than may be swapped";
    ++rows;
  });
  EXPECT_GE(top_bytes, rows / 2) << "the first long row of a trial at least";
}

TEST(DsaTopkStress, TiesCrossTheEndOfTheChoice) {
  visit_long_rows(Stress::boundary_ties, [](const Call&, std::size_t, const std::vector<double>& scores) {
    EXPECT_EQ(scores[kSmall.topk - 1], scores[kSmall.topk]);
  });
}

TEST(DsaTopkStress, NearTiesDifferByMoreThanMayBeSwappedButNotMuch) {
  std::size_t levels = 0;
  std::size_t ladders = 0;
  visit_long_rows(Stress::near_ties, [&](const Call& call, std::size_t row, const std::vector<double>& scores) {
    std::set<double> distinct(scores.begin(), scores.end());
    const float first = load<float>(call.cache.subspan(kSmall.scale_at(call.token(row, 0))), 0);
    const float second = load<float>(call.cache.subspan(kSmall.scale_at(call.token(row, 1))), 0);
    ++(first == second ? levels : ladders);
    const double last = scores[kSmall.topk - 1];
    const auto next = std::find_if(scores.begin(), scores.end(), [&](double score) { return score < last; });
    if (next != scores.end()) {
      EXPECT_GT((last - *next) / last, 1.2e-4);
      EXPECT_LT((last - *next) / last, 5e-4);
    }
  });
  EXPECT_GT(levels, 3U);
  EXPECT_GT(ladders, 3U);
}

TEST(DsaTopkStress, MixedBlocksAreWholePages) {
  visit_long_rows(Stress::mixed_blocks, [](const Call& call, std::size_t row, const std::vector<double>& scores) {
    std::vector<double> slacks(call.length(row));
    std::vector<double> in_order(call.length(row));
    RowQuery(call, row).score(0, in_order, slacks);
    const double end = scores[kSmall.topk - 1];
    std::set<int> kinds;
    for (std::size_t first = 0; first < in_order.size(); first += kSmall.page_size) {
      const std::size_t last = std::min(first + kSmall.page_size, in_order.size());
      const auto [low, high] = std::minmax_element(in_order.begin() + static_cast<std::ptrdiff_t>(first),
                                                   in_order.begin() + static_cast<std::ptrdiff_t>(last));
      // High pages score 3 to 8 times the least hard score, low ones less than it, hard ones up to twice.
      kinds.insert(*low > 1.45 * end ? 2 : *high < 0.95 * end ? 0 : 1);
    }
    EXPECT_EQ(kinds.count(1), 1U);
    EXPECT_GE(kinds.size(), 2U);
  });
}

TEST(DsaTopkStress, NegativeRowsAreNegative) {
  visit_long_rows(Stress::all_negative, [](const Call&, std::size_t, const std::vector<double>& scores) {
    EXPECT_LE(scores.front(), 0);
    EXPECT_LT(scores.back(), 0);
  });
}

TEST(DsaTopkStress, WideRangesAreWide) {
  visit_long_rows(Stress::wide_range, [](const Call& call, std::size_t row, const std::vector<double>&) {
    bool denormal = false;
    bool zero = false;
    bool large = false;
    for (std::size_t position = 0; position < call.length(row); ++position) {
      const float scale = load<float>(call.cache.subspan(kSmall.scale_at(call.token(row, position))), 0);
      zero = zero || scale == 0.0F;
      denormal = denormal || std::fpclassify(scale) == FP_SUBNORMAL;
      large = large || scale > 1e20F;
      EXPECT_TRUE(std::isfinite(scale));
    }
    EXPECT_TRUE(denormal);
    EXPECT_TRUE(large);
    EXPECT_TRUE(zero || call.length(row) < 150);
  });
}

TEST(DsaTopkStress, LengthsAreWhatTheKindsSay) {
  bool shared = false;
  bool twice = false;
  for (std::uint64_t round = 0; round < 20; ++round) {
    const auto lengths_of = [&](Stress stress) {
      return small()
          .stress_trial(2, round * kStressKinds.size() + static_cast<std::uint64_t>(stress), kSmallBytes)
          .workload.lengths;
    };
    EXPECT_THAT(lengths_of(Stress::length_edges), testing::IsSupersetOf({63, 64, 65}));
    EXPECT_THAT(lengths_of(Stress::short_rows),
                testing::AllOf(testing::IsSupersetOf({0, 1, 64}), testing::Each(testing::Le(64))));
    const auto many = lengths_of(Stress::many_long_rows);
    EXPECT_GE(std::count_if(many.begin(), many.end(), [](std::int64_t length) { return length > 64; }), 2);

    OperatorTrial trial =
        stressed_trial(small(), *small().make_generator(2), 2,
                       round * kStressKinds.size() + static_cast<std::uint64_t>(Stress::repeated_pages));
    const Call call = call_of(trial, kSmall);
    std::set<std::int32_t> seen;
    for (std::size_t row = 0; row < call.rows; ++row) {
      std::set<std::int32_t> own;
      for (std::size_t entry = 0; entry < kSmall.pages_of(call.length(row)); ++entry) {
        twice = !own.insert(call.page(row, entry)).second || twice;
        shared = seen.count(call.page(row, entry)) > 0 || shared;
      }
      seen.insert(own.begin(), own.end());
    }
  }
  EXPECT_TRUE(shared);
  EXPECT_TRUE(twice);
}

TEST(DsaTopkStress, CraftedScoresComeOutAsMeant) {
  OperatorTrial trial = official_trial(contest(), make_workload(kContest, {2100}, "crafted"), 5);
  base::Philox random(1, 2);
  std::vector<double> scores(2100);
  for (std::size_t position = 0; position < scores.size(); ++position) {
    scores[position] = -std::exp(8 * random.next_uniform());
  }
  write_scores(call_of(trial, kContest), 0, scores, random, trial.arguments());
  const auto expected = trial.reference();
  for (std::size_t position = 0; position < scores.size(); ++position) {
    ASSERT_NEAR(expected[kScores][position], scores[position], 1e-7 * std::fabs(scores[position]));
    ASSERT_NEAR(expected[kSlacks][position], 0x1p-14 * std::fabs(scores[position]), 1e-9 * std::fabs(scores[position]));
  }
}

TEST(DsaTopkStress, LevelsAreToldApartBySumsOfProductsAlone) {
  for (const Operator* op : instances()) {
    const Dimensions dimensions = op == &small() ? kSmall : kContest;
    const auto length = static_cast<std::int64_t>(dimensions.topk + 200);
    OperatorTrial trial = official_trial(*op, make_workload(dimensions, {length}, "levels"), 5);
    base::Philox random(1, 2);
    write_levels(call_of(trial, dimensions), 0, random, trial.arguments());
    const auto expected = trial.reference();
    const std::set<double> distinct(expected[kScores].begin(), expected[kScores].end());
    EXPECT_EQ(distinct.size(), 11U);
    const double step = (*distinct.rbegin() - *distinct.begin()) / 10 / *distinct.begin();
    EXPECT_GT(step, 2e-4);
    EXPECT_LT(step, 5e-4);
    EXPECT_LT(2 * expected[kSlacks][0], step * expected[kScores][0]) << "neighbouring levels may not be swapped";
  }
}

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
