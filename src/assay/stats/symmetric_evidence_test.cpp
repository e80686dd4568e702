#include <assay/stats/symmetric_evidence.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/simulated_session.hpp>

namespace assay::stats {
namespace {

constexpr PairedRule kByEvidence{.minimum_pairs = 3,
                                 .maximum_pairs = 96,
                                 .alpha = 0.05,
                                 .minimum_effect = 0.002,
                                 .futility = 0.02,
                                 .test = PairedTest::evidence};
const double kEdge = std::log1p(-kByEvidence.minimum_effect);

std::vector<double> noisy(int seed, std::size_t count, double centre = 0) {
  base::Philox random(static_cast<std::uint64_t>(seed), 11);
  std::vector<double> values(count);
  for (double& value : values) {
    value = centre + 0.02 * random.next_normal();
  }
  return values;
}

TEST(Evidence, StartsAtNothingAndNearlyDoublesAtMost) {
  EXPECT_EQ(log_evidence_below({}, 0), 0);
  const std::vector<double> huge(5, -100.0);
  EXPECT_NEAR(log_evidence_below(huge, 0), 5 * std::log(1.9), 1e-12);
  EXPECT_NEAR(log_evidence_above(huge, 0), 5 * std::log(0.1), 1e-12) << "an outlier does not take all";
  EXPECT_EQ(least_values_for_evidence(0.05), 6);
  EXPECT_EQ(least_values_for_evidence(0.01), 9);
}

TEST(Evidence, OfOneValueIsTheMeanFactorOfTheBettors) {
  const double x = 0.01;
  double sum = 0;
  for (const double rate : {8.0, 32.0, 128.0, 512.0, 2048.0}) {
    sum += 1 + 0.9 * std::tanh(rate * x);
  }
  EXPECT_NEAR(log_evidence_below(std::vector<double>{-x}, 0), std::log(sum / 5), 1e-12);
  EXPECT_NEAR(log_evidence_above(std::vector<double>{x}, 0), std::log(sum / 5), 1e-12);
}

TEST(Evidence, BrokenNumbersProveNothing) {
  for (const double broken : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> values{-0.5, broken, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5};
    EXPECT_EQ(log_evidence_below(values, 0), -HUGE_VAL);
    EXPECT_EQ(decide_paired(values, kByEvidence).conclusion, PairedConclusion::undecided);
    EXPECT_TRUE(std::isnan(evidence_interval(values, 0.05).upper));
  }
}

// The mean factor over a value and its mirror image, which is what the whole proof rests on: at most 1 at any rate for a
// centre at or above the bound.
RC_GTEST_PROP(EvidenceProperty, NoSymmetricValueFavoursTheBettor, ()) {
  const double spread = std::exp(static_cast<double>(*rc::gen::inRange(-120, 20)) / 10);
  const double above = static_cast<double>(*rc::gen::inRange(0, 100)) / 1000;
  const double one = log_evidence_below(std::vector<double>{above + spread}, 0);
  const double other = log_evidence_below(std::vector<double>{above - spread}, 0);
  RC_ASSERT((std::exp(one) + std::exp(other)) / 2 <= 1 + 1e-12);
}

TEST(EvidenceInterval, IsInfiniteUntilThereCanBeEvidence) {
  // 2 / 0.05 = 40 takes six doublings.
  EXPECT_TRUE(std::isinf(evidence_interval({}, 0.05).upper));
  EXPECT_TRUE(std::isinf(evidence_interval(std::vector<double>(5, 0.1), 0.05).upper));
  const PairedInterval six = evidence_interval(std::vector<double>(6, 0.1), 0.05);
  EXPECT_TRUE(std::isfinite(six.upper) && std::isfinite(six.lower));
  EXPECT_EQ(six.mean, 0.1);
}

TEST(EvidenceInterval, EstimatesTheCentreWithoutMindingAnOutlier) {
  std::vector<double> values = noisy(1, 20, -0.1);
  const double before = evidence_interval(values, 0.05).mean;
  values[3] = 50;
  const PairedInterval interval = evidence_interval(values, 0.05);
  EXPECT_NEAR(interval.mean, before, 0.01);
  EXPECT_LT(interval.upper, -0.05);
}

RC_GTEST_PROP(EvidenceProperty, TheIntervalHoldsWhatTheTestDoesNotExclude, (int seed)) {
  const auto values = noisy(seed, static_cast<std::size_t>(*rc::gen::inRange(7, 40)));
  const PairedInterval interval = evidence_interval(values, 0.05);
  const double needed = std::log(2 / 0.05);
  RC_ASSERT(interval.lower < interval.mean && interval.mean < interval.upper);
  RC_ASSERT(log_evidence_below(values, interval.upper + 1e-9) >= needed);
  RC_ASSERT(log_evidence_below(values, interval.upper - 1e-9) < needed);
  RC_ASSERT(log_evidence_above(values, interval.lower - 1e-9) >= needed);
  RC_ASSERT(log_evidence_above(values, interval.lower + 1e-9) < needed);
}

RC_GTEST_PROP(EvidenceProperty, IsMonotoneAndMirrored, (int seed)) {
  const auto values = noisy(seed, static_cast<std::size_t>(*rc::gen::inRange(1, 40)));
  std::vector<double> mirrored;
  for (const double value : values) {
    mirrored.push_back(-value);
  }
  RC_ASSERT(log_evidence_below(values, 0.01) > log_evidence_below(values, 0));
  RC_ASSERT(std::abs(log_evidence_below(values, 0.01) - log_evidence_above(mirrored, -0.01)) < 1e-12);
}

RC_GTEST_PROP(EvidenceProperty, LaterPairsNeverChangeADecision, (int seed)) {
  const auto values = noisy(seed, 60, -0.02);
  const PairedDecision whole = decide_paired(values, kByEvidence);
  const PairedDecision cut =
      decide_paired(std::span(values).first(static_cast<std::size_t>(whole.pairs_used)), kByEvidence);
  RC_ASSERT(cut.conclusion == whole.conclusion);
  RC_ASSERT(cut.futile == whole.futile);
  RC_ASSERT(cut.interval.upper == whole.interval.upper);
  if (whole.conclusion == PairedConclusion::better) {
    RC_ASSERT(whole.interval.upper <= kEdge + 1e-9);
  }
}

TEST(DecideByEvidence, DecidesOnAClockWithoutNoise) {
  EXPECT_EQ(decide_paired(std::vector<double>(12, -0.1), kByEvidence).conclusion, PairedConclusion::better);
  EXPECT_EQ(decide_paired(std::vector<double>(12, -0.1), kByEvidence).pairs_used, 6);
  EXPECT_EQ(decide_paired(std::vector<double>(12, 0.05), kByEvidence).conclusion, PairedConclusion::not_better)
      << "a clear loser is not merely hopeless";
  EXPECT_EQ(decide_paired(std::vector<double>(96, kEdge), kByEvidence).conclusion, PairedConclusion::undecided);
  EXPECT_EQ(decide_paired({}, kByEvidence).pairs_used, 0);
}

TEST(DecideByEvidence, GivesUpWhereNoPairsToComeCanHelp) {
  PairedRule rule = kByEvidence;
  rule.maximum_pairs = 10;
  const std::vector<double> nothing(8, kEdge);  // Six pairs that agree are needed, and three are left after seven.
  const PairedDecision decision = decide_paired(nothing, rule);
  EXPECT_TRUE(decision.futile);
  EXPECT_EQ(decision.pairs_used, 7);
  rule.futility = 0;
  EXPECT_FALSE(decide_paired(nothing, rule).futile);
}

// Noises that a mean cannot bear, all symmetric about the edge of the null hypothesis; each grows or drifts in scale as it
// goes on, which no fixed spread describes.
using Draw = std::function<double(base::Philox&, int)>;

double cauchy(base::Philox& random) { return random.next_normal() / std::abs(random.next_normal()); }

double share_of_false_promotions(const Draw& draw, const PairedRule& rule, int runs) {
  base::Philox random(77, base::stream_id("evidence.false_promotions"));
  int wrong = 0;
  std::vector<double> values(static_cast<std::size_t>(rule.maximum_pairs));
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = kEdge + draw(random, static_cast<int>(i));
    }
    wrong += decide_paired(values, rule).conclusion == PairedConclusion::better ? 1 : 0;
  }
  return static_cast<double>(wrong) / runs;
}

TEST(EvidenceErrorRate, StaysBelowHalfOfAlphaAtTheEdgeWhateverTheNoise) {
  PairedRule rule = kByEvidence;
  rule.futility = 0;  // It could hide errors.
  rule.maximum_pairs = 64;
  const double bound = rule.alpha / 2 + 3 * std::sqrt(rule.alpha / 2 / 2000);
  const Draw normal = [](base::Philox& random, int) { return 0.01 * random.next_normal(); };
  const Draw heavy = [](base::Philox& random, int) { return 0.01 * cauchy(random); };
  const Draw growing = [](base::Philox& random, int i) { return 1e-4 * std::exp(i / 8.0) * random.next_normal(); };
  const Draw rare = [](base::Philox& random, int) {
    const double sign = random.next_uniform() < 0.5 ? -1 : 1;
    return random.next_uniform() < 0.1 ? sign * 0.5 : sign * 1e-4;
  };
  const double of_normal = share_of_false_promotions(normal, rule, 2000);
  EXPECT_LE(of_normal, bound);
  EXPECT_GT(of_normal, 0) << "a test that never rejects would pass too";
  EXPECT_LE(share_of_false_promotions(heavy, rule, 2000), bound);
  EXPECT_LE(share_of_false_promotions(growing, rule, 2000), bound);
  EXPECT_LE(share_of_false_promotions(rare, rule, 2000), bound);
}

struct SessionRates {
  double better = 0;
  double mean_pairs = 0;
};

SessionRates simulate_sessions(double log_ratio, const PairedRule& rule, int runs) {
  SessionRates rates;
  for (int run = 0; run < runs; ++run) {
    SimulatedSession session({}, log_ratio, 2, 3, static_cast<std::uint64_t>(run));
    std::vector<double> ratios;
    for (int pair = 0; pair < rule.maximum_pairs; ++pair) {
      std::vector<PairedSample> samples = session.next_pair();
      for (PairedSample& sample : samples) {
        sample.pair = 0;
      }
      ratios.push_back(tabulate(samples, 1, 2).pair_log_ratios.front());
    }
    const PairedDecision decision = decide_paired(ratios, rule);
    rates.better += decision.conclusion == PairedConclusion::better ? 1 : 0;
    rates.mean_pairs += decision.pairs_used;
  }
  rates.better /= runs;
  rates.mean_pairs /= runs;
  return rates;
}

TEST(EvidenceErrorRate, HoldsInSessionsWithDriftPlacementAndSpikes) {
  const SessionRates copy = simulate_sessions(0, kByEvidence, 300);
  EXPECT_LE(copy.better, 0.025 + 3 * std::sqrt(0.025 / 300));
  EXPECT_LT(copy.mean_pairs, 48) << "futility ends a hopeless session early";
  const SessionRates gain = simulate_sessions(std::log(0.99), kByEvidence, 200);
  EXPECT_GE(gain.better, 0.9);
}

TEST(ChanceOfEvidence, FallsWithTheEffectAndTheRoom) {
  const auto values = noisy(5, 12, -0.01);
  const double needed = std::log(40.0);
  EXPECT_LT(chance_of_evidence_below(values, 20, 0, needed), chance_of_evidence_below(values, 200, 0, needed));
  EXPECT_LT(chance_of_evidence_below(values, 60, -0.02, needed), chance_of_evidence_below(values, 60, 0, needed));
  EXPECT_GT(chance_of_evidence_below(std::vector<double>(4, -0.1), 20, 0, needed), 0.999);
  EXPECT_LT(chance_of_evidence_below(std::vector<double>(4, 0.1), 20, 0, needed), 0.001);
  EXPECT_EQ(chance_of_evidence_below(std::vector<double>{0, std::nan("")}, 20, 0, needed), 1);
}

}  // namespace
}  // namespace assay::stats
