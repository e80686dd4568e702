#include <assay/service/submissions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <assay/service/submitted_proposer.hpp>

namespace assay::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const agent::Hypothesis kClaim{"batch_size 1", "memory", "keep the state in registers", "1.2x"};

task::Hypothesis stated() {
  task::Hypothesis hypothesis;
  hypothesis.mechanism = "registers";
  hypothesis.differs = "aligned";
  return hypothesis;
}

class SubmissionsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = os::TemporaryDirectory::create(testing::TempDir(), "submissions-");
    ASSERT_TRUE(made) << made.error().text();
    folder_.emplace(std::move(*made));
  }
  [[nodiscard]] SubmissionStore store(const std::string& campaign = "night") const {
    return {folder_->path(), campaign};
  }
  [[nodiscard]] static Submission submission(const std::string& content) {
    return {"", "codex 0.171.0", {{"kernel.cpp", content}}, kClaim, stated(), 3};
  }

  std::optional<os::TemporaryDirectory> folder_;
};

TEST_F(SubmissionsTest, WhatWasAddedIsReadBackByAnotherStore) {
  EXPECT_THAT(store().jobs().value(), IsEmpty());
  EXPECT_EQ(store().add(submission("first\n")).value(), "night-job-1");
  EXPECT_EQ(store().add(submission("second \xff")).value(), "night-job-2");
  EXPECT_EQ(store("day").add(submission("other")).value(), "day-job-1");
  EXPECT_THAT(store().jobs().value(), ElementsAre("night-job-1", "night-job-2"));
  const auto found = store().find("night-job-1").value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, "night-job-1");
  EXPECT_EQ(found->by, "codex 0.171.0");
  ASSERT_THAT(found->sources, SizeIs(1));
  EXPECT_EQ(found->sources[0].content, "first\n");
  EXPECT_EQ(found->hypothesis.change, kClaim.change);
  EXPECT_EQ(found->stated, stated());
  EXPECT_EQ(found->parent, 3);
}

TEST_F(SubmissionsTest, NamesThatNobodyGaveAreNotFound) {
  ASSERT_TRUE(store().add(submission("first")));
  for (const char* name : {"night-job-2", "night-job-01", "night-job-", "night-job-1x", "day-job-1", "../night-job-1",
                           "night-job-99999999999999999999", "night-job--1", ""}) {
    EXPECT_FALSE(store().find(name).value()) << name;
    EXPECT_FALSE(store().find_hypothesis(name).value()) << name;
  }
}

TEST_F(SubmissionsTest, HypothesesAreNumberedApart) {
  ASSERT_TRUE(store().add(submission("first")));
  EXPECT_EQ(store().add_hypothesis({kClaim, stated()}).value(), "night-hypothesis-1");
  EXPECT_EQ(store().add_hypothesis({kClaim}).value(), "night-hypothesis-2");
  EXPECT_EQ(store().find_hypothesis("night-hypothesis-2").value()->claim.predicted_effect, "1.2x");
  EXPECT_EQ(store().find_hypothesis("night-hypothesis-1").value()->stated, stated());
  EXPECT_FALSE(store().find_hypothesis("night-hypothesis-2").value()->stated);
  EXPECT_THAT(store().jobs().value(), ElementsAre("night-job-1"));
}

TEST_F(SubmissionsTest, AtTheSameTimeNobodyGetsANumberTwice) {
  const auto work = [&] {
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(store().add(submission("text")));
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_THAT(store().jobs().value(), SizeIs(20));
}

TEST_F(SubmissionsTest, ADamagedFileIsAnErrorThatNamesIt) {
  ASSERT_TRUE(store().add(submission("first")));
  ASSERT_TRUE(os::write_file_atomic(folder_->path() / "submissions/night/job-1.json", R"({"job": "night-job-1"})"));
  const auto found = store().find("night-job-1");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("night-job-1"));
}

TEST_F(SubmissionsTest, TheProposerTakesWhatTheHistoryLacksInItsOrder) {
  for (const char* content : {"one", "two", "three"}) {
    ASSERT_TRUE(store().add(submission(content)));
  }
  task::Solution origin;
  origin.definition = "scale";
  origin.spec.entry_point = "kernel.cpp::run";
  agent::Trial known;
  known.number = 1;
  known.solution.name = "night-job-1";
  SubmittedProposer proposer(store(), origin, SubmittedProposer::WhenEmpty::stop);
  const auto proposals = proposer.propose({known}, 1).value();
  ASSERT_THAT(proposals, SizeIs(1));
  EXPECT_EQ(proposals[0].solution.name, "night-job-2");
  EXPECT_EQ(proposals[0].solution.author, "codex 0.171.0");
  EXPECT_EQ(proposals[0].solution.definition, "scale");
  EXPECT_EQ(proposals[0].solution.sources[0].content, "two");
  EXPECT_EQ(proposals[0].hypothesis.change, kClaim.change);
  EXPECT_EQ(proposals[0].parent, 3);
}

TEST_F(SubmissionsTest, WhenNothingIsLeftTheCampaignStopsOrEnds) {
  SubmittedProposer stops(store(), {}, SubmittedProposer::WhenEmpty::stop);
  EXPECT_EQ(stops.propose({}, 1).error().code, kNothingSubmitted);
  SubmittedProposer ends(store(), {}, SubmittedProposer::WhenEmpty::end);
  EXPECT_THAT(ends.propose({}, 1).value(), IsEmpty());
}

}  // namespace
}  // namespace assay::service
