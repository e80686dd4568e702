#include <assay/evaluate/call_answer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::evaluate {
namespace {

using ::testing::HasSubstr;
using worker::CallReply;
using worker::TimingStatus;

TEST(CallAnswer, ACallThatWentWellIsNoComplaint) {
  EXPECT_FALSE(complaint_about(CallReply{}));
  EXPECT_FALSE(complaint_about(CallReply{0, 1000, 500, 0, TimingStatus::timed, 900}));
}

TEST(CallAnswer, AReturnCodeIsACrash) {
  const auto complaint = complaint_about(CallReply{7, 1000, 0, 0, TimingStatus::timed, 0});
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->outcome, task::Outcome::crashed);
  EXPECT_EQ(complaint->finding.kind, "returned");
  EXPECT_THAT(complaint->finding.message, HasSubstr("returned 7"));
}

TEST(CallAnswer, TheDriversWordComesBeforeTheReturnCode) {
  const auto complaint = complaint_about(CallReply{7, 0, 0, 700, TimingStatus::timed, 0});
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->finding.kind, "device_error");
  EXPECT_THAT(complaint->finding.message, HasSubstr("entry point returned 7"));
}

TEST(CallAnswer, WhatCannotBeCapturedSaysSoWhateverItReturned) {
  const auto complaint = complaint_about(CallReply{900, 0, 0, 901, TimingStatus::not_capturable, 0});
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->outcome, task::Outcome::crashed);
  EXPECT_EQ(complaint->finding.kind, "not_capturable");
  EXPECT_THAT(complaint->finding.message, HasSubstr("cannot be captured"));
}

TEST(CallAnswer, NoWorkIsSuspectUnlessTheCallFailed) {
  const auto complaint = complaint_about(CallReply{0, 0, 0, 0, TimingStatus::no_work, 0});
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->outcome, task::Outcome::suspect);
  EXPECT_EQ(complaint->finding.kind, "no_device_work");
  EXPECT_EQ(complaint_about(CallReply{3, 0, 0, 0, TimingStatus::no_work, 0})->finding.kind, "returned");
}

TEST(CallAnswer, TimesThatWereLostAreSuspect) {
  const auto complaint = complaint_about(CallReply{0, 0, 0, -1, TimingStatus::clock_failed, 0});
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->outcome, task::Outcome::suspect);
  EXPECT_EQ(complaint->finding.kind, "no_times");
  EXPECT_THAT(complaint->finding.message, HasSubstr("status -1"));
}

}  // namespace
}  // namespace assay::evaluate
