#include <assay/stats/mean_posterior.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::stats {
namespace {

TEST(MeanPosterior, IsThePriorBeforeAnyValue) {
  const MeanPosterior posterior = believe({0.02, 4, 0.1, 3}, {});
  EXPECT_DOUBLE_EQ(posterior.location, 0.02);
  EXPECT_DOUBLE_EQ(posterior.scale, 0.05);
  EXPECT_DOUBLE_EQ(posterior.degrees, 3);
  EXPECT_DOUBLE_EQ(posterior.quantile(0.5), 0.02);
}

// By hand: prior mean 0 of weight 1, one degree of spread 1; values 1 and 3. Weight 3, location 4/3, squares
// 1 + 2 + (1 * 2 / 3) * 4 = 17/3, degrees 3.
TEST(MeanPosterior, AgreesWithASumByHand) {
  const std::vector<double> values = {1, 3};
  const MeanPosterior posterior = believe({0, 1, 1, 1}, values);
  EXPECT_DOUBLE_EQ(posterior.location, 4.0 / 3);
  EXPECT_DOUBLE_EQ(posterior.degrees, 3);
  EXPECT_DOUBLE_EQ(posterior.scale, std::sqrt(17.0 / 3 / 9));
}

TEST(MeanPosterior, ManyValuesOutweighThePrior) {
  base::Philox random(1, 1);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) {
    values.push_back(0.5 + 0.1 * random.next_normal());
  }
  const MeanPosterior posterior = believe({-3, 1, 1, 1}, values);
  EXPECT_NEAR(posterior.location, 0.5, 0.01);
  EXPECT_LT(posterior.quantile(0.975) - posterior.quantile(0.025), 0.02);
}

TEST(MeanPosterior, CoversTheTruthAsOftenAsItSays) {
  base::Philox random(7, 3);
  int covered = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) {
      values.push_back(1 + 0.5 * random.next_normal());
    }
    const MeanPosterior posterior = believe({1, 1e-6, 0.5, 1e-6}, values);
    covered += posterior.quantile(0.05) < 1 && 1 < posterior.quantile(0.95) ? 1 : 0;
  }
  EXPECT_NEAR(covered / static_cast<double>(kRuns), 0.9, 0.03);
}

}  // namespace
}  // namespace assay::stats
