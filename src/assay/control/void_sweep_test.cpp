#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <assay/control/campaign.hpp>
#include <assay/control/replay_journal.hpp>
#include <assay/control/sample_campaign.hpp>
#include <assay/os/file.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::Fault;
using ::testing::HasSubstr;
using testing::Laboratory;
using testing::must;
using testing::sample_configuration;
using testing::sample_solution;

// Two candidates, of which gates and sweeps say how the incumbent stands to a copy of itself.
CampaignConfiguration watched() {
  CampaignConfiguration configuration = sample_configuration();
  configuration.rounds = 0;
  configuration.supplied = {sample_solution("a", "a;\n// speed: 0.5\n")};
  configuration.policy.gate.self_comparison = true;
  configuration.policy.sweep.self_comparison = true;
  return configuration;
}

// Calls of the judge: the baseline comes first.
constexpr int kGate = 1;
constexpr int kSweep = 2;

TEST(VoidSweep, IsMadeAgainAndNobodysLoss) {
  Laboratory calm(watched());
  const CampaignState undisturbed = must(calm.run());
  Laboratory laboratory(watched());
  laboratory.evaluator().faults = {{kSweep, Fault::unfair}};
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_THAT(state.candidate(1).sweep_evaluation, HasSubstr("-1-sweep-2"));
  EXPECT_THAT(laboratory.journal(), Contains(AllOf(HasSubstr("evaluation_failed"), HasSubstr("session.void"),
                                                   HasSubstr("the sweep of candidate 1 says nothing about it"),
                                                   HasSubstr("copy of itself"))));
  const auto& requests = laboratory.evaluator().requests;
  EXPECT_NE(requests[kSweep].seed, requests[kSweep + 1].seed) << "a new session";
  EXPECT_DOUBLE_EQ(requests[kSweep + 1].plan.alpha, calm.evaluator().requests[kSweep].plan.alpha)
      << "it has spent nothing of the error that sweeps share";
  EXPECT_EQ(undisturbed.incumbent, state.incumbent);
  EXPECT_TRUE(must(laboratory.archive().evaluation("scale-search-1-sweep-1"))) << "every attempt is kept";
}

TEST(VoidSweep, AGateIsMadeAgainToo) {
  Laboratory laboratory(watched());
  laboratory.evaluator().faults = {{kGate, Fault::unfair}};
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_THAT(laboratory.journal(), Contains(HasSubstr("the gate of candidate 1 says nothing about it")));
}

TEST(VoidSweep, ThreeInARowStopTheCampaignWhichSaysWhyAndGoesOnWhenResumed) {
  Laboratory laboratory(watched());
  for (int attempt = 0; attempt < kAttemptsPerRun; ++attempt) {
    laboratory.evaluator().faults[kSweep + attempt] = Fault::unfair;
  }
  const auto refused = laboratory.run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().owner, base::Owner::environment) << "exit code 3";
  EXPECT_EQ(refused.error().code, "session.void");
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("3 attempts failed"), HasSubstr("resume")));
  laboratory.reopen();
  EXPECT_FALSE(laboratory.state().candidate(1).decision) << "nothing is held against it";
  EXPECT_EQ(must(laboratory.run()).incumbent, 1);
}

TEST(VoidSweep, IsDecidedAgainFromItsSamples) {
  Laboratory laboratory(watched());
  laboratory.evaluator().faults = {{kSweep, Fault::unfair}};
  must(laboratory.run());
  const os::TemporaryDirectory scratch = must(os::TemporaryDirectory::create(::testing::TempDir(), "again-"));
  const JournalReplay replay = must(replay_journal(laboratory.archive(), "scale-search", scratch.path()));
  EXPECT_FALSE(replay.difference) << replay.difference->why;
  EXPECT_EQ(replay.reproduced, replay.events);
  EXPECT_EQ(replay.decided.at("evaluation_failed"), 1);
}

}  // namespace
}  // namespace assay::control
