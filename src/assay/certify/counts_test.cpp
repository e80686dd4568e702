#include <assay/certify/counts.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <assay/promote/session_fixture.hpp>

namespace assay::certify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three pairs of two workloads, of which one call in each pair was checked: and in the first pair that of the first
// workload once more.
Session counted_session() {
  promote::testing::Session made = promote::testing::make_session({{-0.2, -0.3}, {-0.21, -0.29}, {-0.19, -0.31}});
  Session session;
  session.folder = kSweepFolder;
  session.request = std::move(made.request);
  session.evaluation = std::move(made.evaluation);
  session.samples = std::move(made.samples);
  for (task::Sample& sample : session.samples) {
    sample.checked = sample.repetition == 1;
  }
  const auto first = std::find_if(session.samples.begin(), session.samples.end(), [](const task::Sample& sample) {
    return sample.checked && sample.side == task::Side::candidate && sample.workload == 0;
  });
  const task::Sample again = *first;
  session.samples.push_back(again);
  session.evaluation.clean_on_workloads = {3, 3};
  session.evaluation.trials.reset();
  session.request.trials = 0;
  return session;
}

TEST(CheckedCalls, CountsAllOfTheCandidatesOnEachWorkload) {
  EXPECT_THAT(checked_calls(counted_session()), ElementsAre(4, 3));
}

TEST(Miscounts, WhatTheSamplesLeaveRoomForIsBelieved) {
  EXPECT_THAT(miscounts(counted_session()), IsEmpty());
  Session fewer = counted_session();
  fewer.evaluation.clean_on_workloads = {1, 0};
  EXPECT_THAT(miscounts(fewer), IsEmpty()) << "perturbed ones are not marked in the samples";
  fewer.evaluation.clean_on_workloads.clear();
  EXPECT_THAT(miscounts(fewer), IsEmpty()) << "of before they were counted";
}

TEST(Miscounts, MoreCleanCallsThanWereCheckedAreRefused) {
  Session session = counted_session();
  session.evaluation.clean_on_workloads = {4, 3};
  auto found = miscounts(session);
  ASSERT_EQ(found.size(), 1U) << "the repetition is no trial";
  EXPECT_EQ(found[0].place, "sweep/evaluation.json: /clean_on_workloads/0");
  EXPECT_THAT(found[0].what, HasSubstr("is 4, and the samples have 3 different checked calls"));
  session.evaluation.clean_on_workloads = {3};
  ASSERT_EQ(miscounts(session).size(), 1U);
  EXPECT_THAT(miscounts(session)[0].what, HasSubstr("1 entries for 2 workloads"));
  session.evaluation.outcome = task::Outcome::incorrect;
  EXPECT_THAT(miscounts(session), IsEmpty()) << "of a failure no bound is said";
}

TEST(Miscounts, TrialsAreThoseThatTheRequestAsksFor) {
  Session session = counted_session();
  session.request.trials = 9;
  session.evaluation.trials.emplace();
  session.evaluation.trials->on_workloads = {5, 5};
  session.evaluation.clean_on_workloads = {8, 8};
  EXPECT_THAT(miscounts(session), IsEmpty()) << "nine on two workloads are five each";
  session.request.trials_on = {8, 1};
  session.evaluation.trials->on_workloads = {8, 1};
  session.evaluation.clean_on_workloads = {11, 4};
  EXPECT_THAT(miscounts(session), IsEmpty());
  session.evaluation.trials->on_workloads = {800, 100};
  EXPECT_THAT(miscounts(session)[0].what, HasSubstr("other trials"));
  session.evaluation.trials->on_workloads = {8, 1};
  session.request.trials = 0;
  EXPECT_THAT(miscounts(session)[0].what, HasSubstr("other trials")) << "none were asked for";
}

}  // namespace
}  // namespace assay::certify
