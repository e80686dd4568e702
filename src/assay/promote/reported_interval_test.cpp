#include <assay/promote/reported_interval.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <assay/base/random.hpp>
#include <assay/promote/session_fixture.hpp>

namespace assay::promote {
namespace {

using testing::make_session;
using testing::Session;

std::vector<std::vector<double>> blocks(const Session& session) { return blocks_of(session.request, session.samples); }

TEST(BlocksOf, AreTheRepetitionsOfEachPairWithoutWarmUps) {
  const Session session = make_session({{-0.3, -0.1}, {0.1, 0.3}, {0, 0}});
  const auto found = blocks(session);
  ASSERT_EQ(found.size(), 3U);
  for (std::size_t pair = 0; pair < found.size(); ++pair) {
    ASSERT_EQ(found[pair].size(), 2U);
    EXPECT_NEAR(found[pair][0], pair == 0 ? -0.2 : pair == 1 ? 0.2 : 0, 1e-5) << "the mean over workloads";
  }
}

TEST(BlocksOf, TheIncumbentAgainstItselfIsNotTheComparison) {
  Session session = make_session({{-0.3}, {-0.3}, {-0.3}});
  const auto before = blocks(session);
  testing::add_self(session, {1, 1, 1});
  EXPECT_EQ(blocks(session), before);
}

TEST(BlocksOf, WhatLacksATimeIsLeftOut) {
  Session session = make_session({{-0.3, -0.1}, {0.1, 0.3}});
  for (task::Sample& sample : session.samples) {
    if (sample.pair == 0 && sample.workload == 1 && sample.repetition == 2 && sample.side == task::Side::incumbent) {
      sample.elapsed_ns = 0;
    }
    sample.workload += sample.pair == 1 && sample.repetition == 1 ? 7 : 0;  // None of the request's.
  }
  const auto found = blocks(session);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].size(), 1U);
  EXPECT_EQ(found[1].size(), 1U);
}

TEST(ReportedInterval, SaysWhatItIsOver) {
  const stats::NestedRatios sessions = {{{-0.1, -0.12}, {-0.11, -0.1}}, {}, {{-0.09, -0.1}}};
  const auto interval = reported_interval(sessions, 0.1);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->sessions, 2) << "one had nothing";
  EXPECT_EQ(interval->pairs, 3);
  EXPECT_EQ(interval->alpha, 0.1);
  EXPECT_LT(interval->lower, interval->log_ratio);
  EXPECT_GT(interval->upper, interval->log_ratio);
  EXPECT_NEAR(interval->log_ratio, -0.1, 0.01);
}

TEST(ReportedInterval, OnePairSaysNothingOfPairs) {
  EXPECT_FALSE(reported_interval({}, 0.05));
  EXPECT_FALSE(reported_interval({{}}, 0.05));
  EXPECT_FALSE(reported_interval({{{-0.1, -0.1, -0.1}}}, 0.05));
}

TEST(ReportedInterval, IsTheSameEachTime) {
  const stats::NestedRatios session = {{{-0.1, -0.12}, {-0.11, -0.1}, {-0.3, -0.2}}};
  EXPECT_EQ(reported_interval(session, 0.05)->lower, reported_interval(session, 0.05)->lower);
}

// Pairs scatter by 1 %, calls by as much: the truth lies outside in no more than about the stated share of sessions.
TEST(ReportedInterval, HoldsTheTruthAsOftenAsItSays) {
  base::Philox random(5, base::stream_id("reported_interval"));
  constexpr int kSessions = 300;
  constexpr double kTruth = -0.02;
  int outside = 0;
  for (int session = 0; session < kSessions; ++session) {
    stats::NestedRatios one(1);
    for (int pair = 0; pair < 8; ++pair) {
      std::vector<double>& calls = one[0].emplace_back();
      const double placement = kTruth + 0.01 * random.next_normal();
      for (int call = 0; call < 5; ++call) {
        calls.push_back(placement + 0.01 * random.next_normal());
      }
    }
    const ReportedInterval interval = reported_interval(one, 0.05).value();
    outside += interval.lower > kTruth || interval.upper < kTruth ? 1 : 0;
  }
  EXPECT_LE(outside, 0.05 * kSessions + 3 * std::sqrt(0.05 * kSessions));
}

}  // namespace
}  // namespace assay::promote
