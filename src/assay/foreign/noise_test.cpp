#include <assay/foreign/noise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <assay/foreign/archive_testing.hpp>

namespace assay::foreign {
namespace {

using Groups = std::vector<std::vector<std::size_t>>;

TEST(SameEnvironment, TheReferenceMayDoubleOrHalveAndNoMore) {
  const Evaluation one = stored_success("t", 1, "a", 1, 10);
  for (const auto& [reference, same] : std::vector<std::pair<double, bool>>{
           {10, true}, {20, true}, {20.001, false}, {5, true}, {4.999, false}, {1e6, false}}) {
    const Evaluation other = stored_success("t", 2, "b", 1, reference);
    EXPECT_EQ(same_environment(one, other), same) << reference;
    EXPECT_EQ(same_environment(other, one), same) << reference;
  }
}

TEST(SameCodeGroups, AreOfOneTraceOneCodeAndOneEnvironment) {
  TraceArchive archive;
  archive.evaluations = {stored_success("t", 1, "a", 1),     stored_success("t", 2, "b", 1),
                         stored_success("u", 3, "a", 1),     stored_success("t", 4, "a", 2),
                         stored_success("t", 5, "a", 1, 50), failed("t", 6, "a", RecordedKind::runtime_error),
                         stored_success("t", 7, "a", 1, 45), stored_success("t", 8, "b", 3)};
  EXPECT_EQ(same_code_groups(archive, "t"), (Groups{{0, 3}, {1, 7}, {4, 6}}));
  EXPECT_EQ(same_code_groups(archive, "u"), (Groups{{2}}));
  EXPECT_THAT(same_code_groups(archive, "no such trace"), testing::IsEmpty());
  // Other bytes with the same tokens are the same code; the same bytes with other tokens cannot be.
  archive.evaluations[3].source = base::sha256(std::string_view("with a comment"));
  archive.evaluations[7].normalised = base::sha256(std::string_view("other tokens"));
  EXPECT_EQ(same_code_groups(archive, "t"), (Groups{{0, 3}, {1}, {4, 6}, {7}}));
}

// An archive of one trace in which few programs were measured many times, in up to three environments.
TraceArchive some_archive() {
  TraceArchive archive;
  const int count = *rc::gen::inRange(0, 24);
  for (int i = 0; i < count; ++i) {
    const std::string code = std::to_string(*rc::gen::inRange(0, 4));
    if (*rc::gen::inRange(0, 5) == 0) {
      archive.evaluations.push_back(failed("t", i, code, RecordedKind::timeout));
      continue;
    }
    const double latency = std::exp(*rc::gen::inRange(-100, 100) / 100.0);
    archive.evaluations.push_back(stored_success("t", i, code, latency, std::pow(10.0, *rc::gen::inRange(0, 3))));
    if (*rc::gen::inRange(0, 2) == 0) {
      archive.evaluations.back().solution = std::nullopt;
    }
  }
  return archive;
}

RC_GTEST_PROP(SameCodeGroupsProperty, HoldEverySuccessOnceInItsOrder, ()) {
  const TraceArchive archive = some_archive();
  std::vector<bool> seen(archive.evaluations.size());
  for (const auto& group : same_code_groups(archive, "t")) {
    RC_ASSERT(!group.empty() && std::is_sorted(group.begin(), group.end()));
    const Evaluation& first = archive.evaluations[group.front()];
    for (const std::size_t i : group) {
      RC_ASSERT(!seen[i]);
      seen[i] = true;
      RC_ASSERT(archive.evaluations[i].normalised == first.normalised);
      RC_ASSERT(same_environment(archive.evaluations[i], first));
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    RC_ASSERT(seen[i] == archive.evaluations[i].succeeded());
  }
}

RC_GTEST_PROP(NoiseProperty, DoesNotDependOnTheUnitOfTimeOrOnTheOrder, ()) {
  TraceArchive archive = some_archive();
  const ComparisonNoise noise = comparison_noise(archive);
  const double sigma = trace_noise(archive, "t").sigma;
  for (Evaluation& evaluation : archive.evaluations) {
    if (evaluation.latency_ms) {
      *evaluation.latency_ms *= 1000;
    }
  }
  std::reverse(archive.evaluations.begin(), archive.evaluations.end());
  const ComparisonNoise other = comparison_noise(archive);
  RC_ASSERT(other.source == noise.source && other.pairs == noise.pairs);
  RC_ASSERT(std::abs(other.band - noise.band) < 1e-9);
  RC_ASSERT(std::abs(trace_noise(archive, "t").sigma - sigma) < 1e-9);
}

RC_GTEST_PROP(NoiseProperty, TheBandLiesInItsIntervalAndGrowsWithTheScatter, ()) {
  TraceArchive archive = some_archive();
  // Of two repeats at least something is known.
  archive.evaluations.push_back(stored_success("t", 30, "twice", 1));
  archive.evaluations.push_back(stored_success("t", 31, "twice", 1.25));
  const ComparisonNoise noise = comparison_noise(archive);
  RC_ASSERT(noise.source != ComparisonNoise::Source::none);
  RC_ASSERT(noise.band_interval.lower < noise.band && noise.band < noise.band_interval.upper);
  for (Evaluation& evaluation : archive.evaluations) {
    if (evaluation.latency_ms) {
      *evaluation.latency_ms *= *evaluation.latency_ms;  // Doubles every logarithm.
    }
  }
  RC_ASSERT(std::abs(comparison_noise(archive).band - 2 * noise.band) < 1e-9);
}

TEST(ComparisonNoise, ThreeStoredPairsAreEnoughAndTwoAreNot) {
  TraceArchive archive;
  for (int i = 0; i < 2; ++i) {
    archive.evaluations.push_back(stored_success("t", 2 * i, std::to_string(i), 1));
    archive.evaluations.push_back(stored_success("t", 2 * i + 1, std::to_string(i), std::exp(0.1)));
  }
  EXPECT_EQ(comparison_noise(archive).source, ComparisonNoise::Source::all_repeats);
  // Three evaluations of one code make three pairs.
  archive.evaluations.push_back(stored_success("t", 5, "0", std::exp(0.2)));
  const ComparisonNoise noise = comparison_noise(archive);
  EXPECT_EQ(noise.source, ComparisonNoise::Source::stored_pairs);
  EXPECT_EQ(noise.pairs, 4);
  EXPECT_NEAR(noise.rms, std::sqrt((0.01 + 0.01 + 0.01 + 0.04) / 4), 1e-12);
}

TEST(ComparisonNoise, PairsOfDifferentTracesAreNone) {
  TraceArchive archive;
  for (int trace = 0; trace < 4; ++trace) {
    archive.evaluations.push_back(stored_success(std::to_string(trace), 1, "a", 1 + trace));
  }
  EXPECT_EQ(comparison_noise(archive).source, ComparisonNoise::Source::none);
  EXPECT_EQ(comparison_noise({}).source, ComparisonNoise::Source::none);
  EXPECT_EQ(comparison_noise(archive).band, 0);
  EXPECT_EQ(trace_noise(archive, "0").degrees, 0);
}

}  // namespace
}  // namespace assay::foreign
