// The same measurements under other rules: what would have been decided, and where nobody can know.
#include <assay/control/policy_replay.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Laboratory;
using testing::must;
using ::testing::Not;

CampaignConfiguration two_by_hand() {
  CampaignConfiguration configuration = testing::sample_configuration();
  configuration.supplied = {testing::sample_solution("little", "y = l(x);\n// speed: 0.93\n"),
                            testing::sample_solution("much", "y = m(x);\n// speed: 0.6\n"),
                            testing::sample_solution("wrong", "y = w(x);\n// outcome: incorrect\n")};
  configuration.rounds = 0;
  configuration.policy.sweeps_per_round = 2;
  return configuration;
}

PolicyReplay under(Laboratory& laboratory, const promote::Policy& policy) {
  const auto scratch = must(os::TemporaryDirectory::create(::testing::TempDir(), "assay-replay-"));
  return must(replay_under_policy(laboratory.archive(), "scale-search", policy, scratch.path()));
}

const CandidateUnderPolicy& of(const PolicyReplay& replay, const std::string& name) {
  return *std::find_if(replay.candidates.begin(), replay.candidates.end(),
                       [&](const CandidateUnderPolicy& one) { return one.name == name; });
}

TEST(PolicyReplay, UnderItsOwnPolicyNothingIsOtherwise) {
  for (const CampaignConfiguration& configuration : {two_by_hand(), testing::sample_configuration()}) {
    Laboratory laboratory(configuration);
    must(laboratory.run());
    const PolicyReplay replay = under(laboratory, configuration.policy);
    EXPECT_FALSE(replay.stopped) << *replay.stopped;
    EXPECT_EQ(replay.incumbent, replay.recorded_incumbent);
    EXPECT_EQ(replay.phase, "finished");
    ASSERT_THAT(replay.decisions, Not(IsEmpty()));
    for (const DecisionUnderPolicy& one : replay.decisions) {
      EXPECT_EQ(one.other, one.recorded) << one.evaluation << ": " << one.unmeasured;
    }
    for (const CandidateUnderPolicy& one : replay.candidates) {
      EXPECT_EQ(one.other, one.recorded) << one.name;
    }
  }
}

TEST(PolicyReplay, ALargerMinimumEffectLetsTheLittleOneFall) {
  CampaignConfiguration configuration = two_by_hand();
  Laboratory laboratory(configuration);
  must(laboratory.run());
  promote::Policy strict = configuration.policy;
  strict.name = "strict";
  strict.gate.minimum_effect = 0.2;
  strict.sweep.minimum_effect = 0.2;
  const PolicyReplay replay = under(laboratory, strict);
  EXPECT_THAT(of(replay, "little").recorded, HasSubstr("better"));
  EXPECT_EQ(of(replay, "little").other, "not_better");
  EXPECT_THAT(of(replay, "much").other, HasSubstr("promoted"));
  EXPECT_EQ(of(replay, "wrong").other, of(replay, "wrong").recorded);
  EXPECT_FALSE(replay.stopped) << *replay.stopped;
  EXPECT_THAT(replay.incumbent, HasSubstr("much"));
}

TEST(PolicyReplay, NobodyBetterKeepsTheBaseline) {
  Laboratory laboratory(two_by_hand());
  must(laboratory.run());
  promote::Policy strict = two_by_hand().policy;
  strict.gate.minimum_effect = 0.9;
  const PolicyReplay replay = under(laboratory, strict);
  EXPECT_FALSE(replay.stopped) << *replay.stopped;
  EXPECT_EQ(replay.incumbent, "plain (baseline)");
  EXPECT_EQ(replay.phase, "finished");
}

TEST(PolicyReplay, SaysWhichMeasurementDoesNotExist) {
  Laboratory laboratory(two_by_hand());
  must(laboratory.run());
  promote::Policy patient = two_by_hand().policy;
  patient.gate.minimum_pairs = 8;
  patient.gate.maximum_pairs = 8;
  PolicyReplay replay = under(laboratory, patient);
  ASSERT_TRUE(replay.stopped);
  EXPECT_THAT(*replay.stopped, AllOf(HasSubstr("scale-search-1-gate-1"), HasSubstr("process pair")));
  EXPECT_EQ(replay.incumbent, "plain (baseline)");
  const auto& first = replay.decisions.front();
  EXPECT_EQ(first.other, "");
  EXPECT_THAT(first.unmeasured, HasSubstr("process pair"));

  promote::Policy sure = two_by_hand().policy;
  sure.replay.trials = 100'000;
  replay = under(laboratory, sure);
  ASSERT_TRUE(replay.stopped);
  EXPECT_THAT(*replay.stopped, AllOf(HasSubstr("sweep"), HasSubstr("100000 trials")));

  promote::Policy careful = two_by_hand().policy;
  careful.gate.samples_per_pair += 1;
  EXPECT_THAT(*under(laboratory, careful).stopped, HasSubstr("timed calls"));
}

TEST(PolicyReplay, ASweepThatNobodyMadeIsMissed) {
  CampaignConfiguration configuration = two_by_hand();
  configuration.policy.gate.minimum_effect = 0.2;  // So that the little one was never swept.
  configuration.policy.sweep.minimum_effect = 0.2;
  configuration.supplied.pop_back();
  configuration.supplied.pop_back();
  Laboratory laboratory(configuration);
  must(laboratory.run());
  promote::Policy lenient = configuration.policy;
  lenient.gate.minimum_effect = 0.01;
  lenient.sweep.minimum_effect = 0.01;
  const PolicyReplay replay = under(laboratory, lenient);
  ASSERT_TRUE(replay.stopped);
  EXPECT_THAT(*replay.stopped, AllOf(HasSubstr("scale-search-1-sweep-1"), HasSubstr("nobody measured")));
  EXPECT_EQ(of(replay, "little").other, "better");
}

TEST(PolicyReplay, APersonsWordIsTakenWhereThereIsOne) {
  CampaignConfiguration configuration = two_by_hand();
  configuration.policy.approval = promote::Approval::person;
  configuration.policy.sweeps_per_round = 1;
  Laboratory laboratory(configuration);
  must(laboratory.run());
  must(approve(laboratory.archive(), "scale-search", false, "Ada", "unreadable"));
  must(laboratory.run());
  const PolicyReplay refused = under(laboratory, configuration.policy);
  EXPECT_FALSE(refused.stopped) << *refused.stopped;
  EXPECT_EQ(refused.incumbent, refused.recorded_incumbent);
  promote::Policy by_itself = configuration.policy;
  by_itself.approval = promote::Approval::policy;
  const PolicyReplay promoted = under(laboratory, by_itself);
  EXPECT_THAT(of(promoted, "much").other, HasSubstr("promoted"));
  // Its confirmation was never made.
  ASSERT_TRUE(promoted.stopped);
  EXPECT_THAT(*promoted.stopped, HasSubstr("confirm"));
}

TEST(PolicyReplay, TellsAllAsJson) {
  PolicyReplay replay;
  replay.decisions = {{4, "c-1-gate-1", "gate", "candidate 1 (a)", "better", "", "c-1-gate-1 would need a pair more"}};
  replay.candidates = {{1, "a", "better", ""}};
  const base::Json json = encode(replay);
  EXPECT_TRUE(json["decisions"][0]["other"].is_null());
  EXPECT_EQ(json["decisions"][0]["unmeasured"], "c-1-gate-1 would need a pair more");
  EXPECT_TRUE(json["stopped"].is_null());
  EXPECT_TRUE(json["candidates"][0]["other"].is_null());
}

}  // namespace
}  // namespace assay::control
