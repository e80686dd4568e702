#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/control/events.hpp>
#include <assay/control/sample_campaign.hpp>

// The archive knows decisions by the names of their events; these are the events' own.
namespace assay::control {
namespace {

using testing::Laboratory;
using testing::must;

TEST(Chain, TheArchiveKnowsTheNamesOfDecisions) {
  for (const std::string_view kind :
       {CandidateSwept::kKind, CandidatePromoted::kKind, CandidateRefused::kKind, CampaignConfirmed::kKind}) {
    EXPECT_TRUE(archive::is_decision(kind)) << kind;
  }
  for (const std::string_view kind :
       {CampaignStarted::kKind, EvaluationIntended::kKind, EvaluationFailed::kKind, BaselineMeasured::kKind,
        BaselineFailed::kKind, CandidatesProposed::kKind, CandidateGated::kKind, CampaignFinished::kKind}) {
    EXPECT_FALSE(archive::is_decision(kind)) << kind;
  }
}

TEST(Chain, HoldsEachDecisionOfACampaignWithItsEvidence) {
  Laboratory laboratory(testing::sample_configuration());
  must(laboratory.run());
  std::vector<std::string> decided;
  const auto events = must(laboratory.archive().events("scale-search"));
  for (const archive::ChainedDecision& link : must(laboratory.archive().decisions())) {
    const archive::Event& event = events.at(static_cast<std::size_t>(link.sequence) - 1);
    decided.push_back(event.kind);
    EXPECT_EQ(link.evidence.has_value(), event.kind != CandidatePromoted::kKind) << event.kind;
  }
  EXPECT_THAT(decided, ::testing::ElementsAre("candidate_swept", "candidate_promoted", "campaign_confirmed"));
  EXPECT_THAT(must(laboratory.archive().verify()).problems, ::testing::IsEmpty());
}

}  // namespace
}  // namespace assay::control
