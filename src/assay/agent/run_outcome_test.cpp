#include <gtest/gtest.h>

#include <assay/agent/run_outcome.hpp>

namespace assay::agent {
namespace {

TEST(ClassifyFailure, GoesByTheStatusWhereThereIsOne) {
  EXPECT_EQ(classify_failure("unexpected status 401 Unauthorized: key, url: http://127.0.0.1:18113/v1"),
            RunOutcome::authentication);
  EXPECT_EQ(classify_failure("exceeded retry limit, last status: 429 Too Many Requests"), RunOutcome::rate_limited);
  EXPECT_EQ(classify_failure("last status: 503 Service Unavailable"), RunOutcome::unavailable);
  EXPECT_EQ(classify_failure("unexpected status 402"), RunOutcome::quota);
  EXPECT_EQ(classify_failure("unexpected status 400 Bad Request: you exceeded your quota"), RunOutcome::quota);
  EXPECT_EQ(classify_failure("unexpected status 400 Bad Request"), RunOutcome::failed);
}

TEST(ClassifyFailure, ANumberThatIsNoStatusIsNone) {
  EXPECT_EQ(classify_failure("line 401 of the prompt is wrong"), RunOutcome::failed);
  EXPECT_EQ(classify_failure("status 4011 of something"), RunOutcome::failed);
  EXPECT_EQ(classify_failure("status"), RunOutcome::failed);
}

TEST(ClassifyFailure, GoesByWordsElse) {
  EXPECT_EQ(classify_failure("You\u2019ve hit your usage limit. Upgrade to Pro"), RunOutcome::quota);
  EXPECT_EQ(classify_failure("Quota exceeded. Check your plan and billing details."), RunOutcome::quota);
  EXPECT_EQ(classify_failure("stream disconnected before completion: idle timeout"), RunOutcome::unavailable);
  EXPECT_EQ(classify_failure("Not logged in"), RunOutcome::authentication);
  EXPECT_EQ(classify_failure("flagged as violating our usage policy"), RunOutcome::refused);
  EXPECT_EQ(classify_failure("Codex ran out of room in the model's context window."), RunOutcome::failed);
  EXPECT_EQ(classify_failure(""), RunOutcome::failed);
}

TEST(RunOutcomes, EveryOutcomeHasAWordAndOnlyTheEnvironmentsHaveARemedy) {
  for (std::size_t i = 0; i < kRunOutcomes.size(); ++i) {
    const auto outcome = static_cast<RunOutcome>(i);
    EXPECT_FALSE(to_string(outcome).empty());
    EXPECT_EQ(is_environment(outcome), !remedy(outcome).empty());
  }
}

}  // namespace
}  // namespace assay::agent
