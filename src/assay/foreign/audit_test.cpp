#include <assay/foreign/audit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/foreign/archive_testing.hpp>
#include <assay/foreign/trace_archive.hpp>

namespace assay::foreign {
namespace {

const os::Path kTraces = os::Path(ASSAY_SOURCE_DIR) / "tests/data/traces";

const Audit& public_traces() {
  static const Audit kAudit = [] {
    auto archive = read_trace_archive(kTraces);
    EXPECT_TRUE(archive) << archive.error().text();
    return archive ? audit(*std::move(archive)) : Audit();
  }();
  return kAudit;
}

// The answers were found by another program, tests/foreign_audit_test.py, which shares no line with this one.
TEST(Audit, AgreesWithTheAnswersOnTheFivePublicTraces) {
  const auto text = os::read_file(kTraces / "answers.json");
  ASSERT_TRUE(text);
  const auto answers = base::parse_json(*text, "answers.json");
  ASSERT_TRUE(answers) << answers.error().text();
  const base::Json found = encode(public_traces());
  ASSERT_EQ(found["promotions"].size(), (*answers)["promotions"].size());
  for (std::size_t i = 0; i < found["promotions"].size(); ++i) {
    EXPECT_EQ(found["promotions"][i], (*answers)["promotions"][i]);
  }
  EXPECT_EQ(found, *answers);
}

TEST(Audit, TheVerdictsOnThe39Promotions) {
  const Audit& audit = public_traces();
  EXPECT_EQ(audit.count(Verdict::identical), 2U);
  EXPECT_EQ(audit.count(Verdict::environment_shift), 0U);
  EXPECT_EQ(audit.count(Verdict::worse), 5U);
  EXPECT_EQ(audit.count(Verdict::indistinguishable), 18U);
  EXPECT_EQ(audit.count(Verdict::suspect_environment), 1U);
  EXPECT_EQ(audit.count(Verdict::plausible), 13U);
  EXPECT_EQ(audit.noise.pairs, 10);
  EXPECT_NEAR(audit.noise.rms, 0.0497, 5e-5);
  EXPECT_NEAR(audit.noise.band, 0.0974, 5e-5);
}

TEST(Audit, EveryTraceHasItsNoise) {
  const auto& traces = public_traces().traces;
  ASSERT_EQ(traces.size(), 5U);
  const std::vector<std::pair<double, int>> expected = {
      {0.00721, 33}, {0.12466, 30}, {0.00124, 2}, {0.00135, 2}, {0.03512, 66}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(traces[i].noise.sigma, expected[i].first, 1e-5) << traces[i].name;
    EXPECT_EQ(traces[i].noise.degrees, expected[i].second) << traces[i].name;
  }
  EXPECT_EQ(traces[2].environments, 2U);
  EXPECT_EQ(traces[4].archived, 458U);
}

TEST(Audit, EveryFailureHasAnOwner) {
  std::size_t archived = 0;
  std::size_t failed_ones = 0;
  for (const TraceAudit& trace : public_traces().traces) {
    std::size_t failures = 0;
    for (const auto& [failure, count] : trace.failures) {
      failures += count;
    }
    EXPECT_EQ(trace.succeeded + failures, trace.archived) << trace.name;
    archived += trace.archived;
    failed_ones += failures;
  }
  EXPECT_EQ(archived, 849U);
  EXPECT_EQ(failed_ones, 441U);
}

TEST(Audit, WhatOnlyMetInfrastructureFailuresWasNeverJudged) {
  TraceArchive archive;
  archive.evaluations = {failed("t", 1, "a", RecordedKind::no_results),
                         failed("t", 2, "a", RecordedKind::no_results),
                         failed("t", 3, "b", RecordedKind::no_results),
                         failed("t", 4, "b", RecordedKind::incorrect_numerical),
                         failed("t", 5, "c", RecordedKind::shard_failed, "billing"),
                         failed("t", 6, "d", RecordedKind::no_results)};
  archive.evaluations.back().archived = false;
  const Audit found = audit(std::move(archive));
  EXPECT_EQ(found.traces.front().unjudged, 2U);  // a and c; b was judged, d is not of the archive proper.
  EXPECT_EQ(found.traces.front().failures.at(Failure::infrastructure_no_result), 3U);
  EXPECT_EQ(found.traces.front().extra_failures.at(Failure::infrastructure_no_result), 1U);
  EXPECT_EQ(found.traces.front().resubmitted, 2U);
  EXPECT_FALSE(found.traces.front().picked);
  EXPECT_TRUE(encode(found)["traces"]["t"]["picked"].is_null());
}

TEST(Audit, ThePickedAndTheFastestAreComparedInOneEnvironment) {
  TraceArchive archive;
  for (int i = 0; i < 4; ++i) {  // Three pairs and more of stored repeats: 2 % noise.
    archive.evaluations.push_back(stored_success("n", 2 * i, "n" + std::to_string(i), 1));
    archive.evaluations.push_back(stored_success("n", 2 * i + 1, "n" + std::to_string(i), std::exp(0.02)));
  }
  archive.evaluations.push_back(stored_success("t", 1, "a", 2, 10));
  archive.evaluations.push_back(stored_success("t", 2, "b", 1.0, 12));
  archive.evaluations.push_back(stored_success("t", 3, "c", 0.9, 10));  // Faster, with a lower score.
  archive.evaluations.push_back(stored_success("t", 4, "d", 0.1, 1));   // Another environment.
  archive.promotions = replay_promotions(archive);
  const Audit found = audit(archive);
  const TraceAudit& trace = found.traces.back();
  EXPECT_EQ(trace.environments, 2U);
  EXPECT_EQ(found.archive.evaluations[*trace.picked].id, "t-2");
  EXPECT_EQ(found.archive.evaluations[*trace.fastest].id, "t-3");
  EXPECT_TRUE(trace.tellable_apart);
  archive.evaluations[10].latency_ms = 0.99;
  EXPECT_FALSE(audit(archive).traces.back().tellable_apart);
  archive.evaluations[10].latency_ms = 0.5;
  archive.evaluations[10].normalised = archive.evaluations[9].normalised;
  EXPECT_FALSE(audit(archive).traces.back().tellable_apart);  // The same code.
}

}  // namespace
}  // namespace assay::foreign
