#include <assay/stats/paired_decision.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

const double kThreshold = std::log(0.99);

// Student's t with three degrees of freedom, scaled to unit variance: tails as heavy as a mean can bear.
double next_t3(base::Philox& random) {
  const double normal = random.next_normal();
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double part = random.next_normal();
    squares += part * part;
  }
  return normal / std::sqrt(squares / 3) / std::sqrt(3.0);
}

enum class Noise { normal, heavy };

struct Rates {
  double better = 0;
  double not_better = 0;
  double mean_pairs = 0;
};

Rates simulate(Noise noise, double true_log_ratio, double deviation, const PairedRule& rule, int runs) {
  base::Philox random(2026, base::stream_id("paired_decision.simulation"));
  Rates rates;
  std::vector<double> ratios(static_cast<std::size_t>(rule.maximum_pairs));
  for (int run = 0; run < runs; ++run) {
    for (double& ratio : ratios) {
      ratio = true_log_ratio + deviation * (noise == Noise::normal ? random.next_normal() : next_t3(random));
    }
    const PairedDecision decision = decide_paired(ratios, rule);
    rates.better += decision.conclusion == PairedConclusion::better ? 1 : 0;
    rates.not_better += decision.conclusion == PairedConclusion::not_better ? 1 : 0;
    rates.mean_pairs += decision.pairs_used;
  }
  rates.better /= runs;
  rates.not_better /= runs;
  rates.mean_pairs /= runs;
  return rates;
}

std::vector<double> random_ratios(int seed, std::size_t count) {
  base::Philox random(static_cast<std::uint64_t>(seed), 3);
  std::vector<double> ratios(count);
  for (double& ratio : ratios) {
    ratio = 0.03 * random.next_normal();
  }
  return ratios;
}

TEST(LookPlan, SplitsTheErrorEvenly) {
  const PairedRule rule;
  EXPECT_EQ(look_count(rule), 6);
  EXPECT_DOUBLE_EQ(alpha_per_look(rule), 0.05 / 6);
  EXPECT_EQ(look_count({.minimum_pairs = 5, .maximum_pairs = 5}), 1);
}

TEST(TInterval, MatchesAHandComputedOne) {
  // Ten values, mean 5.5, s² = 82.5 / 9: the reach is 2.262157 * sqrt(82.5 / 90).
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const PairedInterval interval = t_interval(values, 0.05);
  EXPECT_DOUBLE_EQ(interval.mean, 5.5);
  EXPECT_NEAR(interval.upper - 5.5, 2.262157 * std::sqrt(82.5 / 90), 1e-6);
  EXPECT_NEAR(5.5 - interval.lower, 2.262157 * std::sqrt(82.5 / 90), 1e-6);
}

TEST(TInterval, HasNoWidthWithoutSpread) {
  const PairedInterval interval = t_interval(std::vector<double>(5, -0.1), 0.01);
  EXPECT_EQ(interval.lower, -0.1);
  EXPECT_EQ(interval.mean, -0.1);
  EXPECT_EQ(interval.upper, -0.1);
}

TEST(DecidePaired, SaysNothingBeforeTheFirstLook) {
  const PairedDecision none = decide_paired({}, {});
  EXPECT_EQ(none.conclusion, PairedConclusion::undecided);
  EXPECT_EQ(none.pairs_used, 0);
  const PairedDecision two = decide_paired(std::vector<double>{-0.5, -0.5}, {});
  EXPECT_EQ(two.conclusion, PairedConclusion::undecided);
  EXPECT_EQ(two.pairs_used, 2);
  EXPECT_DOUBLE_EQ(two.interval.mean, -0.5);
  EXPECT_TRUE(std::isinf(two.interval.lower) && std::isinf(two.interval.upper));
}

TEST(DecidePaired, StopsAtTheFirstLookThatDecides) {
  const std::vector<double> ratios{-0.22, -0.21, -0.23, 5, 5, 5};
  const PairedDecision decision = decide_paired(ratios, {});
  EXPECT_EQ(decision.conclusion, PairedConclusion::better);
  EXPECT_EQ(decision.pairs_used, 3);
  EXPECT_LT(decision.interval.upper, kThreshold);
}

TEST(DecidePaired, ExcludesAnImprovementOfTheMinimumEffect) {
  const PairedDecision decision = decide_paired(std::vector<double>{0.001, -0.001, 0.0005, 0}, {});
  EXPECT_EQ(decision.conclusion, PairedConclusion::not_better);
  EXPECT_GT(decision.interval.lower, kThreshold);
}

TEST(DecidePaired, GivesUpUndecidedAtTheLastPair) {
  const std::vector<double> ratios{-0.3, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3, 0.3};
  const PairedDecision decision = decide_paired(ratios, {});
  EXPECT_EQ(decision.conclusion, PairedConclusion::undecided);
  EXPECT_EQ(decision.pairs_used, 8);
}

TEST(DecidePaired, LooksAtNoPairBeyondTheMaximum) {
  std::vector<double> ratios{-0.3, 0.3, -0.3, 0.3, -0.3, 0.3, -0.3, 0.3};
  const PairedDecision before = decide_paired(ratios, {});
  ratios.insert(ratios.end(), 100, -1.0);
  const PairedDecision after = decide_paired(ratios, {});
  EXPECT_EQ(after.conclusion, PairedConclusion::undecided);
  EXPECT_EQ(after.pairs_used, 8);
  EXPECT_EQ(after.interval.mean, before.interval.mean);
}

TEST(DecidePaired, WorksOnAClockWithoutNoise) {
  EXPECT_EQ(decide_paired(std::vector<double>(8, -0.1), {}).conclusion, PairedConclusion::better);
  EXPECT_EQ(decide_paired(std::vector<double>(8, -0.1), {}).pairs_used, 3);
  EXPECT_EQ(decide_paired(std::vector<double>(8, 0.0), {}).conclusion, PairedConclusion::not_better);
  EXPECT_EQ(decide_paired(std::vector<double>(8, std::log1p(-0.01)), {}).conclusion, PairedConclusion::undecided);
}

TEST(DecidePaired, BrokenNumbersNeverDecide) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double broken : {std::nan(""), infinity, -infinity}) {
    EXPECT_EQ(decide_paired(std::vector<double>(8, broken), {}).conclusion, PairedConclusion::undecided);
    EXPECT_EQ(decide_paired(std::vector<double>{broken, -0.2, -0.2, -0.2}, {}).conclusion, PairedConclusion::undecided);
  }
}

TEST(DecidePairedDeathTest, RefusesARuleWithoutMeaning) {
  const std::vector<double> ratios(8, 0.0);
  EXPECT_DEATH(static_cast<void>(decide_paired(ratios, {.minimum_pairs = 1})), "minimum_pairs >= 2");
  EXPECT_DEATH(static_cast<void>(decide_paired(ratios, {.minimum_pairs = 4, .maximum_pairs = 3})), "maximum_pairs");
  EXPECT_DEATH(static_cast<void>(decide_paired(ratios, {.alpha = 0})), "alpha > 0");
  EXPECT_DEATH(static_cast<void>(decide_paired(ratios, {.minimum_effect = 1})), "minimum_effect");
}

TEST(ChanceOfBetter, IsHalfWhereTheMeanSoFarIsJustWhatIsNeeded) {
  // Three pairs of deviation 0.01; at five, the mean must lie below threshold - 0.01 / sqrt(5) * t(0.975; 4).
  const std::vector<double> values{-0.01, 0, 0.01};
  const double reach = 0.01 / std::sqrt(5.0) * 2.776445;
  EXPECT_NEAR(chance_of_better(values, 5, reach, 0.05), 0.5, 1e-6);
  EXPECT_GT(chance_of_better(values, 5, reach + 0.02, 0.05), 0.9);
  EXPECT_LT(chance_of_better(values, 5, reach - 0.02, 0.05), 0.1);
}

TEST(ChanceOfBetter, IsCertainWithoutSpreadAndUnknownWithoutNumbers) {
  EXPECT_EQ(chance_of_better(std::vector<double>{-0.1, -0.1}, 5, kThreshold, 0.05), 1);
  EXPECT_EQ(chance_of_better(std::vector<double>{0, 0}, 5, kThreshold, 0.05), 0);
  EXPECT_EQ(chance_of_better(std::vector<double>{0, std::nan("")}, 5, kThreshold, 0.05), 1);
}

// The predictive probability, checked against its definition: draw the mean and the variance from their posterior, then
// the pairs to come, with the standard deviation of the look held as it is.
TEST(ChanceOfBetter, AgreesWithASimulationOfThePairsToCome) {
  const std::vector<double> values{-0.05, -0.02, -0.03, -0.045};
  constexpr int kAll = 7;
  const double center = -0.03625;
  const double deviation =
      std::sqrt((0.01375 * 0.01375 + 0.01625 * 0.01625 + 0.00625 * 0.00625 + 0.00875 * 0.00875) / 3);
  const double bound = kThreshold - deviation / std::sqrt(7.0) * 2.446912;  // t(0.975; 6)
  base::Philox random(5, base::stream_id("chance_of_better"));
  int better = 0;
  constexpr int kRuns = 40'000;
  for (int run = 0; run < kRuns; ++run) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
      const double part = random.next_normal();
      squares += part * part;
    }
    const double sigma = deviation * std::sqrt(3 / squares);
    const double mu = center + sigma / 2 * random.next_normal();
    double sum = 4 * center;
    for (int i = 0; i < 3; ++i) {
      sum += mu + sigma * random.next_normal();
    }
    better += sum / kAll < bound ? 1 : 0;
  }
  EXPECT_NEAR(chance_of_better(values, kAll, kThreshold, 0.05), static_cast<double>(better) / kRuns, 0.01);
}

constexpr PairedRule kQuickGate{
    .minimum_pairs = 3, .maximum_pairs = 5, .alpha = 0.05, .minimum_effect = 0.02, .futility = 0.05};

TEST(Futility, GivesUpOnACopyAfterTheFirstLook) {
  const PairedDecision decision = decide_paired(std::vector<double>{0.03, -0.02, 0.01, 0, 0}, kQuickGate);
  EXPECT_EQ(decision.conclusion, PairedConclusion::undecided);
  EXPECT_TRUE(decision.futile);
  EXPECT_EQ(decision.pairs_used, 3);
  EXPECT_EQ(decision.interval.mean, t_interval(std::vector<double>{0.03, -0.02, 0.01}, 0.05 / 3).mean);
}

TEST(Futility, GoesOnWhileThereIsHopeAndNeverSpeaksAtTheLastLook) {
  const PairedDecision hope = decide_paired(std::vector<double>{-0.12, -0.05, -0.08}, kQuickGate);
  EXPECT_EQ(hope.conclusion, PairedConclusion::undecided);
  EXPECT_FALSE(hope.futile);
  const PairedDecision last = decide_paired(std::vector<double>{-0.12, -0.05, -0.08, 0.1, 0.1}, kQuickGate);
  EXPECT_EQ(last.pairs_used, last.futile ? 4 : 5);
  PairedRule never = kQuickGate;
  never.futility = 0;
  EXPECT_FALSE(decide_paired(std::vector<double>{0.03, -0.02, 0.01, 0}, never).futile);
}

TEST(Futility, SavesPairsAndCostsLittlePower) {
  PairedRule never = kQuickGate;
  never.futility = 0;
  const Rates copy = simulate(Noise::normal, 0, 0.02, kQuickGate, 4000);
  const Rates copy_never = simulate(Noise::normal, 0, 0.02, never, 4000);
  EXPECT_LT(copy.mean_pairs, copy_never.mean_pairs - 1);
  EXPECT_LE(copy.better, copy_never.better);
  for (const double gain : {0.05, 0.10, 0.20}) {
    const Rates with = simulate(Noise::normal, std::log1p(-gain), 0.02, kQuickGate, 4000);
    const Rates without = simulate(Noise::normal, std::log1p(-gain), 0.02, never, 4000);
    EXPECT_LE(with.better, without.better) << gain;
    EXPECT_GE(with.better, without.better - 0.05) << gain;
  }
}

TEST(FalsePositives, StayBelowAlphaForNormalNoiseAtTheEdgeOfTheNull) {
  // The hardest null: the gain is exactly the minimum effect.
  const Rates rates = simulate(Noise::normal, kThreshold, 0.01, {}, 4000);
  EXPECT_LE(rates.better, 0.05);
  EXPECT_LE(rates.not_better, 0.05);
  EXPECT_GT(rates.better, 0) << "a rule that never claims anything would pass too";
}

TEST(FalsePositives, StayBelowAlphaForHeavyTails) {
  const Rates rates = simulate(Noise::heavy, kThreshold, 0.01, {}, 4000);
  EXPECT_LE(rates.better, 0.05);
  EXPECT_LE(rates.not_better, 0.05);
}

TEST(FalsePositives, AreRarerStillForACopyOfTheIncumbent) {
  // Placement alone makes a process pair differ by about 1 %.
  EXPECT_LE(simulate(Noise::normal, 0, 0.01, {}, 4000).better, 0.01);
  EXPECT_LE(simulate(Noise::heavy, 0, 0.01, {}, 4000).better, 0.01);
}

TEST(Power, FindsARealGainOfTenPercentWithFewPairs) {
  const Rates quiet = simulate(Noise::normal, std::log(0.9), 0.01, {}, 4000);
  EXPECT_GE(quiet.better, 0.99);
  EXPECT_LE(quiet.mean_pairs, 5);
  EXPECT_EQ(quiet.not_better, 0);
  EXPECT_GE(simulate(Noise::normal, std::log(0.9), 0.03, {}, 4000).better, 0.8);
  EXPECT_GE(simulate(Noise::heavy, std::log(0.9), 0.02, {}, 4000).better, 0.9);
}

RC_GTEST_PROP(TIntervalProperty, IgnoresTheOrder, (int seed)) {
  auto ratios = random_ratios(seed, static_cast<std::size_t>(*rc::gen::inRange(2, 12)));
  const PairedInterval before = t_interval(ratios, 0.05);
  std::sort(ratios.begin(), ratios.end());
  const PairedInterval after = t_interval(ratios, 0.05);
  RC_ASSERT(std::abs(before.lower - after.lower) < 1e-12);
  RC_ASSERT(std::abs(before.upper - after.upper) < 1e-12);
}

RC_GTEST_PROP(TIntervalProperty, FollowsShiftScaleAndReflection, (int seed)) {
  const auto ratios = random_ratios(seed, static_cast<std::size_t>(*rc::gen::inRange(2, 12)));
  std::vector<double> moved;
  for (const double ratio : ratios) {
    moved.push_back(-2 * ratio + 0.5);
  }
  const PairedInterval before = t_interval(ratios, 0.05);
  const PairedInterval after = t_interval(moved, 0.05);
  RC_ASSERT(std::abs(after.lower - (-2 * before.upper + 0.5)) < 1e-9);
  RC_ASSERT(std::abs(after.upper - (-2 * before.lower + 0.5)) < 1e-9);
}

RC_GTEST_PROP(TIntervalProperty, WidensAsTheErrorShrinks, (int seed)) {
  const auto ratios = random_ratios(seed, static_cast<std::size_t>(*rc::gen::inRange(2, 12)));
  const PairedInterval wide = t_interval(ratios, 0.001);
  const PairedInterval narrow = t_interval(ratios, 0.2);
  RC_ASSERT(wide.lower < narrow.lower);
  RC_ASSERT(wide.upper > narrow.upper);
}

RC_GTEST_PROP(DecidePairedProperty, LaterPairsNeverChangeADecision, (int seed)) {
  const auto ratios = random_ratios(seed, 8);
  const PairedDecision whole = decide_paired(ratios, {});
  const PairedDecision cut = decide_paired(std::span(ratios).first(static_cast<std::size_t>(whole.pairs_used)), {});
  RC_ASSERT(cut.conclusion == whole.conclusion);
  RC_ASSERT(cut.interval.upper == whole.interval.upper);
}

RC_GTEST_PROP(DecidePairedProperty, FutilityOnlyEverTurnsADecisionIntoNone, (int seed)) {
  const auto ratios = random_ratios(seed, 8);
  PairedRule rule;
  const PairedDecision without = decide_paired(ratios, rule);
  rule.futility = 0.2;
  const PairedDecision with = decide_paired(ratios, rule);
  RC_ASSERT(with.futile || with.conclusion == without.conclusion);
  RC_ASSERT(!with.futile || with.conclusion == PairedConclusion::undecided);
  RC_ASSERT(with.pairs_used <= without.pairs_used);
}

RC_GTEST_PROP(DecidePairedProperty, AFasterCandidateIsNeverJudgedWorse, (int seed)) {
  const auto ratios = random_ratios(seed, 8);
  std::vector<double> faster;
  for (const double ratio : ratios) {
    faster.push_back(ratio - 0.02);
  }
  if (decide_paired(ratios, {}).conclusion == PairedConclusion::better) {
    RC_ASSERT(decide_paired(faster, {}).conclusion == PairedConclusion::better);
  }
  if (decide_paired(faster, {}).conclusion == PairedConclusion::not_better) {
    RC_ASSERT(decide_paired(ratios, {}).conclusion == PairedConclusion::not_better);
  }
}

}  // namespace
}  // namespace assay::stats
