#include <assay/stats/failure_words.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <assay/stats/binomial_bound.hpp>

namespace assay::stats {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string words_of(const std::vector<std::int64_t>& trials) {
  return failure_words(trials, [](std::size_t stratum) { return "s" + std::to_string(stratum); });
}

TEST(FailureWords, SayTrialsBoundAndWeakestStratum) {
  EXPECT_EQ(words_of({56, 54, 58}),
            "0 failures in 168 trials; failure rate below 1.8 % with 95 % confidence; weakest stratum s1: 54 trials, "
            "below 5.4 %");
}

TEST(FailureWords, OfOneTrialLittleIsKnownAndOfNoneNothing) {
  EXPECT_EQ(
      words_of({1}),
      "0 failures in 1 trial; failure rate below 95 % with 95 % confidence; weakest stratum s0: 1 trial, below 95 %");
  EXPECT_THAT(words_of({9, 0}), AllOf(HasSubstr("in 9 trials"), HasSubstr("weakest stratum s1: no trial")));
  EXPECT_EQ(words_of({0, 0}), "0 trials: nothing is known of its failure rate");
}

TEST(FailureWords, NeverClaimMoreThanABound) {
  for (const std::vector<std::int64_t>& trials : {std::vector<std::int64_t>{1, 2}, {1000000, 1000000}, {0, 0, 0}}) {
    EXPECT_THAT(words_of(trials), AllOf(Not(HasSubstr("passed")), Not(HasSubstr("correct"))));
  }
}

TEST(BoundCleanTrials, EvenOnesBoundTheMixtureAsOneStratumDoes) {
  const std::vector<std::int64_t> even(20, 150);
  EXPECT_NEAR(bound_clean_trials(even).in_use, failure_rate_upper_bound(0, 3000, 0.95), 1e-6);
  EXPECT_NEAR(bound_clean_trials(even).of_weakest, failure_rate_upper_bound(0, 150, 0.95), 1e-9);
  std::vector<std::int64_t> uneven = even;
  uneven[3] = 30;
  uneven[4] = 270;
  EXPECT_GT(bound_clean_trials(uneven).in_use, bound_clean_trials(even).in_use) << "as many, and less is known";
}

}  // namespace
}  // namespace assay::stats
