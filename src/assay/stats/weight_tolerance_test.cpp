#include <assay/stats/weight_tolerance.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

double weighted_sum(const std::vector<double>& effects, const std::vector<double>& weights) {
  return std::inner_product(effects.begin(), effects.end(), weights.begin(), 0.0) /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

TEST(WeightTolerance, ByHand) {
  // The mean is -1: from the workload at -4 to the one at 2 a share of 1/6 must move.
  const WeightTolerance tolerance = weight_tolerance(std::vector<double>{-4, -1, 2}, std::vector<double>{1, 1, 1});
  EXPECT_NEAR(*tolerance.moved_share, 1.0 / 6, 1e-12);
  EXPECT_NEAR(*tolerance.factor, std::sqrt(2.5), 1e-12);
}

TEST(WeightTolerance, EmptiesOneWorkloadAfterTheOther) {
  // Moving all of the first gains 0.25 * 5 of the 2.25 that are missing; 1 of the next, at 4 a share, is a quarter.
  const WeightTolerance tolerance =
      weight_tolerance(std::vector<double>{-4, -3, -3, 1}, std::vector<double>{2, 2, 2, 2});
  EXPECT_NEAR(*tolerance.moved_share, 0.25 + 0.25, 1e-12);
}

TEST(WeightTolerance, NothingTurnsWhatEveryWorkloadAgreesWith) {
  const WeightTolerance tolerance = weight_tolerance(std::vector<double>{-1, -2, 0}, std::vector<double>{1, 5, 1});
  EXPECT_FALSE(tolerance.moved_share);
  EXPECT_FALSE(tolerance.factor);
}

TEST(WeightTolerance, ADecisionThatDoesNotHoldNeedsNoShift) {
  const WeightTolerance tolerance = weight_tolerance(std::vector<double>{-1, 2}, std::vector<double>{1, 1});
  EXPECT_EQ(tolerance.moved_share, 0);
  EXPECT_EQ(tolerance.factor, 1);
}

TEST(WeightTolerance, NoRandomWeightsWithinItTurnTheDecisionAndTheWorstBeyondItDo) {
  base::Philox random(7, 0);
  int judged = 0;
  for (int run = 0; run < 3000; ++run) {
    const std::size_t count = 2 + random.next_below(6);
    std::vector<double> effects(count);
    std::vector<double> weights(count);
    for (std::size_t i = 0; i < count; ++i) {
      effects[i] = random.next_normal() - 0.7;
      weights[i] = 0.1 + random.next_uniform();
    }
    const WeightTolerance tolerance = weight_tolerance(effects, weights);
    if (!tolerance.factor || *tolerance.factor == 1) {
      continue;
    }
    ++judged;
    // Weights that are off by less than the factor.
    std::vector<double> other(weights);
    for (double& weight : other) {
      weight *= std::pow(*tolerance.factor * 0.999, 2 * random.next_uniform() - 1);
    }
    EXPECT_LT(weighted_sum(effects, other), 0);
    // The worst ones just beyond it.
    for (std::size_t i = 0; i < count; ++i) {
      other[i] = weights[i] * (effects[i] > 0 ? *tolerance.factor * 1.001 : 1 / (*tolerance.factor * 1.001));
    }
    EXPECT_GT(weighted_sum(effects, other), 0);
    // A part of the way to random weights: what moved is the distance.
    double distance = 0;
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> target(count);
    for (double& weight : target) {
      weight = random.next_uniform();
    }
    const double target_total = std::accumulate(target.begin(), target.end(), 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      distance += std::abs(target[i] / target_total - weights[i] / total) / 2;
    }
    if (distance < *tolerance.moved_share * 0.999) {
      EXPECT_LT(weighted_sum(effects, target), 0);
    }
    if (weighted_sum(effects, target) >= 0) {
      EXPECT_GE(distance, *tolerance.moved_share * (1 - 1e-9));
    }
  }
  EXPECT_GT(judged, 500);
}

}  // namespace
}  // namespace assay::stats
