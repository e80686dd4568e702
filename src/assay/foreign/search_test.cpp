#include <assay/foreign/search.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <assay/foreign/archive_testing.hpp>
#include <assay/foreign/trace_archive.hpp>

namespace assay::foreign {
namespace {

ComparisonNoise noise_of(double band) {
  ComparisonNoise noise;
  noise.source = ComparisonNoise::Source::stored_pairs;
  noise.band = band;
  return noise;
}

Evaluation placed(int iteration, const std::string& code, double latency_ms, double reference_ms = 10) {
  Evaluation evaluation = stored_success("t", iteration, code, latency_ms, reference_ms);
  evaluation.iteration = iteration;
  evaluation.round = 1;
  evaluation.candidate = 1;
  return evaluation;
}

Evaluation placed_failure(int iteration, RecordedKind kind) {
  Evaluation evaluation = failed("t", iteration, "f", kind);
  evaluation.iteration = iteration;
  return evaluation;
}

TEST(Search, OnlyAGainBeyondTheNoiseIsAnImprovement) {
  TraceArchive archive;
  archive.evaluations = {placed(1, "a", 1.0), placed(2, "b", 0.95), placed(3, "c", 0.8)};
  const SearchHistory search = search_history(archive, "t", noise_of(0.1));
  ASSERT_EQ(search.history.attempts.size(), 3U);
  EXPECT_FALSE(search.history.attempts[0].improvement) << "there is nothing before it";
  EXPECT_FALSE(search.history.attempts[1].improvement);
  EXPECT_TRUE(search.history.attempts[1].undecided);
  ASSERT_TRUE(search.history.attempts[2].improvement);
  EXPECT_NEAR(*search.history.attempts[2].improvement, std::log(1 / 0.8), 1e-12) << "over the first, not the second";
}

TEST(Search, WhatHasNoPlaceIsNoAttempt) {
  TraceArchive archive;
  archive.evaluations = {placed(2, "b", 1.0), stored_success("t", 9, "x", 0.1), placed(1, "a", 1.0)};
  const SearchHistory search = search_history(archive, "t", noise_of(0.1));
  EXPECT_EQ(search.attempts, (std::vector<std::size_t>{2, 0}));
}

TEST(Search, WhatTheMachinesLostIsNotTheCandidates) {
  TraceArchive archive;
  archive.evaluations = {placed_failure(1, RecordedKind::no_results),
                         placed_failure(2, RecordedKind::incorrect_numerical)};
  const SearchHistory search = search_history(archive, "t", noise_of(0.1));
  EXPECT_EQ(search.history.attempts[0].kind, supervise::AttemptKind::lost);
  EXPECT_EQ(search.history.attempts[1].kind, supervise::AttemptKind::failed);
}

TEST(Search, NothingIsComparedAcrossEnvironments) {
  TraceArchive archive;
  archive.evaluations = {placed(1, "a", 1.0, 10), placed(2, "b", 0.3, 50), placed(3, "c", 0.2, 50)};
  const SearchHistory search = search_history(archive, "t", noise_of(0.1));
  EXPECT_NE(search.history.attempts[0].environment, search.history.attempts[1].environment);
  EXPECT_FALSE(search.history.attempts[1].improvement);
  EXPECT_TRUE(search.history.attempts[2].improvement);
}

TEST(Search, ThePromotionsAreClaims) {
  TraceArchive archive;
  archive.evaluations = {placed(1, "a", 1.0), placed(2, "b", 0.5)};
  archive.promotions = replay_promotions(archive);
  const SearchHistory search = search_history(archive, "t", noise_of(0.1));
  EXPECT_FALSE(search.history.attempts[0].claim);
  ASSERT_TRUE(search.history.attempts[1].claim);
  EXPECT_EQ(search.history.attempts[1].claim->replaced, 0U);
  EXPECT_NEAR(search.history.attempts[1].claim->gain.lower, std::log(2) - 0.1, 1e-12);
}

TEST(Search, WithoutANoiseNothingIsSaid) {
  TraceArchive archive;
  archive.evaluations = {placed(1, "a", 1.0), placed(2, "b", 0.1)};
  EXPECT_TRUE(search_history(archive, "t", {}).history.attempts.empty());
}

}  // namespace
}  // namespace assay::foreign
