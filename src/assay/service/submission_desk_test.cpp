#include <assay/service/submission_desk.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include <assay/archive/archive.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/rehearsal.hpp>
#include <assay/service/submitted_proposer.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class SubmissionDeskTest : public testing::Test {
 protected:
  SubmissionDeskTest() {
    options_.name = "night";
    options_.agent.word = kSubmitted;
    options_.rounds = 3;
    options_.candidates_per_round = 1;
  }
  void SetUp() override {
    const auto created = create_campaign(world_.context(), options_);
    ASSERT_TRUE(created) << created.error().text();
  }
  [[nodiscard]] control::CampaignState state() const { return campaign_status(world_.context(), "night")->state; }
  [[nodiscard]] static Submission saying(const std::string& words) {
    return {"",
            "test",
            {{"kernel.cpp", "ASSAY_KERNEL(run) { return \"" + words + "\"[0]; }\n"}},
            {"all", "unknown", words, "not stated"},
            std::nullopt};
  }
  // Waits for the thread, without end: ctest has a limit.
  static void until_idle(const SubmissionDesk& desk) {
    while (desk.work().busy) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  rehearsal::World world_;
  CampaignOptions options_;
};

TEST_F(SubmissionDeskTest, ASubmissionBecomesACandidateOfTheCampaignAndIsPromoted) {
  {
    SubmissionDesk desk(world_.context(), "night");
    EXPECT_EQ(desk.submit(saying("cost=10")).value(), "night-job-1");
    until_idle(desk);
    EXPECT_EQ(desk.work().trouble, "");
    EXPECT_GT(desk.work().steps, 3);
  }
  const control::CampaignState now = state();
  EXPECT_EQ(now.phase, control::Phase::searching) << "nobody has said that this was all";
  ASSERT_THAT(now.candidates, SizeIs(1));
  EXPECT_EQ(now.candidates[0].name, "night-job-1");
  EXPECT_TRUE(now.candidates[0].promoted);
  const auto ended = resume_campaign(world_.context(), "night", {});
  ASSERT_TRUE(ended) << ended.error().text();
  EXPECT_EQ(ended->state.phase, control::Phase::finished);
  ASSERT_TRUE(ended->state.confirmation);
  EXPECT_NEAR(ended->state.confirmation->speedup, 10, 1e-6);
}

TEST_F(SubmissionDeskTest, WithoutASubmissionTheBaselineIsMeasured) {
  SubmissionDesk desk(world_.context(), "night");
  desk.wake();
  until_idle(desk);
  EXPECT_THAT(state().baseline_ns, SizeIs(4));
  EXPECT_EQ(state().rounds_started, 0);
}

TEST_F(SubmissionDeskTest, WhatAKilledServerHadTakenIsJudgedByTheNextOrByResume) {
  const SubmissionStore store(world_.context().places.archive, "night");
  ASSERT_TRUE(store.add(saying("cost=20")));  // Stored, and nobody judged it.
  {
    SubmissionDesk desk(world_.context(), "night");
    desk.wake();
    until_idle(desk);
  }
  EXPECT_THAT(state().candidates, SizeIs(1));
  ASSERT_TRUE(store.add(saying("cost=5")));
  const auto ended = resume_campaign(world_.context(), "night", {});
  ASSERT_TRUE(ended) << ended.error().text();
  EXPECT_THAT(ended->state.candidates, SizeIs(2));
  EXPECT_EQ(ended->state.incumbent, 2);
}

TEST_F(SubmissionDeskTest, TheRoundsBoundWhatIsJudgedAndEndTheCampaign) {
  SubmissionDesk desk(world_.context(), "night");
  for (const char* words : {"cost=90", "incorrect", "cost=80"}) {
    ASSERT_TRUE(desk.submit(saying(words)));
  }
  while (state().phase != control::Phase::finished) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(state().candidates, SizeIs(3));
}

TEST_F(SubmissionDeskTest, TheMachinesTroubleIsToldAndTheSubmissionStays) {
  SubmissionDesk desk(world_.context(), "night");
  ASSERT_TRUE(desk.submit(saying("judge.error")));
  until_idle(desk);
  EXPECT_EQ(desk.work().trouble, "judge.memory");
  ASSERT_THAT(state().candidates, SizeIs(1));
  EXPECT_FALSE(state().candidates[0].outcome);
}

TEST_F(SubmissionDeskTest, BetweenTwoSubmissionsTheArchiveIsFree) {
  SubmissionDesk desk(world_.context(), "night");
  ASSERT_TRUE(desk.submit(saying("cost=90")));
  until_idle(desk);
  EXPECT_TRUE(archive::Archive::open_writer(world_.context().places.archive));
}

TEST_F(SubmissionDeskTest, AnArchiveInUseIsWaitedFor) {
  SubmissionDesk desk(world_.context(), "night");
  {
    const auto held = archive::Archive::open_writer(world_.context().places.archive).value();
    ASSERT_TRUE(desk.submit(saying("cost=90")));
    while (desk.work().trouble != "archive.in_use") {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  until_idle(desk);
  EXPECT_EQ(desk.work().trouble, "");
  EXPECT_THAT(state().candidates, SizeIs(1));
}

TEST_F(SubmissionDeskTest, SuchACampaignIsNotBegunByRun) {
  const auto status = run_campaign(world_.context(), options_, {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("assay mcp"));
}

TEST_F(SubmissionDeskTest, CreatedAgainWithAnotherConfigurationItSaysWhatDiffers) {
  ASSERT_TRUE(create_campaign(world_.context(), options_));
  options_.rounds = 9;
  EXPECT_THAT(create_campaign(world_.context(), options_).error().message, HasSubstr("rounds was 3 and is now 9"));
}

}  // namespace
}  // namespace assay::service
