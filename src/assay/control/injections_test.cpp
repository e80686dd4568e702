#include <assay/control/injections.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Laboratory;
using testing::must;
using ::testing::Not;
using testing::sample_configuration;
using testing::sample_solution;
using ::testing::SizeIs;

// One hand-made candidate that wins by far, and injections after its round.
CampaignConfiguration injected(promote::Injections rates, const std::string& source = "fast;\n// speed: 0.5\n") {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied = {sample_solution("fast", source)};
  configuration.rounds = 0;
  configuration.policy.injections = rates;
  return configuration;
}

std::size_t how_often(const std::vector<std::string>& kinds, const std::string& kind) {
  return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
}

TEST(Inject, ANullIsTheSameCodeInAnotherFile) {
  const task::Solution original = sample_solution("plain", "y = 2 * x; // twice \\");
  const task::Solution copy = must(inject(InjectionKind::null, 3, original));
  EXPECT_NE(copy.name, original.name);
  const task::CandidateIdentity of_copy = task::identify(copy);
  EXPECT_NE(of_copy.content, task::identify(original).content) << "a build of its own";
  EXPECT_EQ(of_copy.normalised, task::identify(original).normalised) << "and no other code";
  EXPECT_NE(of_copy.content, task::identify(must(inject(InjectionKind::null, 4, original))).content);
}

TEST(Inject, BesideALaunchPlanTheSourceTakesTheComment) {
  task::Solution original = sample_solution("device-only", "{}");
  original.spec.language = task::Language::cuda;
  original.spec.entry_point = "plan.json::run";
  original.sources = {{"plan.json", "{}"}, {"notes.txt", "n"}, {"kernel.cu", "k;\n"}};
  const task::Solution copy = must(inject(InjectionKind::null, 1, original));
  EXPECT_EQ(copy.sources[0].content, "{}");
  EXPECT_EQ(copy.sources[1].content, "n");
  EXPECT_THAT(copy.sources[2].content, HasSubstr("k;\n\n\n// Null injection 1"));
  original.sources.pop_back();
  EXPECT_EQ(inject(InjectionKind::null, 1, original).error().owner, base::Owner::internal);
}

TEST(Inject, AKnownLoserIsTheBaselineItself) {
  const task::Solution baseline = sample_solution("plain", "y;");
  const task::Solution loser = must(inject(InjectionKind::slower, 2, baseline));
  EXPECT_EQ(task::identify(loser), task::identify(baseline));
  EXPECT_THAT(loser.name, HasSubstr("injection 2"));
}

TEST(DueInjection, FollowsFromSeedAndRoundAtThePolicysRates) {
  CampaignConfiguration configuration = injected({.null_rate = 0.25, .null_sweep_share = 0.5, .slower_rate = 0});
  CampaignState state;
  state.candidates.resize(1);
  int made = 0;
  int swept = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    state.rounds_started = round;
    state.candidates.front().round = round;
    const auto due = due_injection(state, configuration);
    EXPECT_EQ(due.has_value(), due_injection(state, configuration).has_value());
    made += due ? 1 : 0;
    swept += due && due->sweeps ? 1 : 0;
    if (due) {
      EXPECT_EQ(due->kind, InjectionKind::null);
      EXPECT_EQ(due->round, round);
    }
  }
  EXPECT_NEAR(made, 0.25 * kRounds, 80);  // four standard deviations
  EXPECT_NEAR(swept, 0.125 * kRounds, 60);
  configuration.policy.injections.null_rate = 0;
  EXPECT_FALSE(due_injection(state, configuration));
}

TEST(DueInjection, DiffersFromSeedToSeedAndIsOneAKindAndRound) {
  CampaignConfiguration configuration = injected({.null_rate = 0.5, .null_sweep_share = 0, .slower_rate = 0});
  CampaignState state;
  state.candidates.resize(1);
  int made = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    configuration.tuner_seed = seed;
    made += due_injection(state, configuration) ? 1 : 0;
  }
  EXPECT_GT(made, 12);
  EXPECT_LT(made, 52);
  configuration.policy.injections.null_rate = 1;
  state.injections.emplace_back().made = *due_injection(state, configuration);
  EXPECT_FALSE(due_injection(state, configuration));
  state.rounds_started = 1;
  EXPECT_FALSE(due_injection(state, configuration)) << "a round without candidates";
}

TEST(DueInjection, OfAKnownLoserNeedsALargeSureMargin) {
  const CampaignConfiguration configuration = injected({.null_rate = 0, .null_sweep_share = 0, .slower_rate = 1});
  CampaignState state;
  for (const int number : {1, 2}) {
    CandidateState& one = state.candidates.emplace_back();
    one.number = number;
    one.decision.emplace().speedup_lower = 1.15;
  }
  EXPECT_FALSE(due_injection(state, configuration));
  state.incumbent = 1;
  state.reign = {1};
  EXPECT_DOUBLE_EQ(sure_speedup(state), 1.15);
  EXPECT_FALSE(due_injection(state, configuration)) << "15 % are not far";
  state.incumbent = 2;
  state.reign = {1, 2};
  const auto due = due_injection(state, configuration);
  ASSERT_TRUE(due) << "1.15 times 1.15 are";
  EXPECT_EQ(due->kind, InjectionKind::slower);
  EXPECT_EQ(due->of, 0);
  EXPECT_FALSE(due->sweeps);
}

TEST(NullInjection, ThatTiesRaisesNothingAndIsNoCandidate) {
  Laboratory laboratory(injected({.null_rate = 1, .null_sweep_share = 1, .slower_rate = 0}));
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  ASSERT_THAT(state.injections, SizeIs(1));
  const InjectionState& null = state.injection(1);
  EXPECT_EQ(null.made.of, 1) << "the incumbent by then";
  EXPECT_NE(null.gate_evaluation, "");
  EXPECT_NE(null.sweep_evaluation, "");
  EXPECT_EQ(null.decision->verdict, promote::Decision::Verdict::keep_incumbent);
  EXPECT_THAT(state.alarms(), IsEmpty());
  EXPECT_EQ(null.warning, "");
  EXPECT_THAT(state.candidates, SizeIs(1));
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_THAT(laboratory.evaluator().prepared.back(), Contains("fast (null injection 1)")) << "built beforehand";
  const auto& requests = laboratory.evaluator().requests;
  const auto gate = std::find_if(requests.begin(), requests.end(),
                                 [](const auto& one) { return one.id == "scale-search-1-nullgate-1"; });
  ASSERT_NE(gate, requests.end());
  EXPECT_EQ(gate->incumbent->name, "fast");
  EXPECT_NE(task::identify(gate->candidate).content, task::identify(*gate->incumbent).content);
}

TEST(NullInjection, ThatTheRuleWouldPromoteIsAnAlarmAndIsNotPromoted) {
  Laboratory laboratory(injected({.null_rate = 1, .null_sweep_share = 0, .slower_rate = 0},
                                 "fast;\n// speed: 0.5\n// copied speed: 0.4\n"));
  std::vector<std::string> lines;
  const CampaignState state =
      must(laboratory.run({[&](const CampaignState&, const std::string& line) { lines.push_back(line); }}));
  ASSERT_THAT(state.alarms(), SizeIs(1));
  EXPECT_THAT(state.alarms().front(), AllOf(HasSubstr("a copy of candidate 1"), HasSubstr("would have been promoted")));
  EXPECT_THAT(lines, Contains(HasSubstr("ALARM")));
  EXPECT_EQ(how_often(laboratory.kinds(), "null_promoted"), 1U);
  EXPECT_NE(state.injection(1).sweep_evaluation, "") << "its gate called it better: that is followed up undrawn";
  EXPECT_EQ(state.incumbent, 1);
  EXPECT_EQ(how_often(laboratory.kinds(), "candidate_promoted"), 1U);
}

TEST(NullInjection, ThatIsNotDrawnForASweepEndsWithItsGate) {
  Laboratory laboratory(injected({.null_rate = 1, .null_sweep_share = 0, .slower_rate = 0}));
  const CampaignState state = must(laboratory.run());
  EXPECT_NE(state.injection(1).gate_evaluation, "");
  EXPECT_EQ(state.injection(1).sweep_evaluation, "");
}

TEST(NullInjection, OfTheBaselineWhereNothingWon) {
  Laboratory laboratory(injected({.null_rate = 1, .null_sweep_share = 1, .slower_rate = 1}, "slow;\n// speed: 2\n"));
  const CampaignState state = must(laboratory.run());
  ASSERT_THAT(state.injections, SizeIs(1)) << "no known loser without an incumbent that beats it";
  EXPECT_EQ(state.injection(1).made.of, 0);
  EXPECT_FALSE(state.incumbent);
}

TEST(NullInjection, ThatFailsIsAWarning) {
  Laboratory laboratory(injected({.null_rate = 1, .null_sweep_share = 1, .slower_rate = 0},
                                 "fast;\n// speed: 0.5\n// copied: incorrect\n"));
  const CampaignState state = must(laboratory.run());
  EXPECT_THAT(state.injection(1).warning, AllOf(HasSubstr("the code of candidate 1"), HasSubstr("incorrect")));
  EXPECT_EQ(state.injection(1).sweep_evaluation, "") << "nothing to sweep";
  EXPECT_THAT(state.alarms(), IsEmpty());
  EXPECT_EQ(state.phase, Phase::finished);
}

TEST(SlowerInjection, IsFoundToBeSlower) {
  Laboratory laboratory(injected({.null_rate = 0, .null_sweep_share = 0, .slower_rate = 1}));
  const CampaignState state = must(laboratory.run());
  ASSERT_THAT(state.injections, SizeIs(1));
  EXPECT_EQ(state.injection(1).outcome, task::Outcome::not_better);
  EXPECT_EQ(state.injection(1).warning, "");
  const auto& requests = laboratory.evaluator().requests;
  const auto gate = std::find_if(requests.begin(), requests.end(),
                                 [](const auto& one) { return one.id == "scale-search-1-slowergate-1"; });
  ASSERT_NE(gate, requests.end());
  EXPECT_EQ(gate->plan.minimum_effect, 0) << "a tie must not pass for a loss";
  EXPECT_EQ(gate->plan.futility, 0) << "that it would not win is known, that it is seen to lose is the question";
  EXPECT_EQ(gate->incumbent->name, "fast");
}

TEST(SlowerInjection, ThatTiesIsNotSeen) {
  CampaignConfiguration configuration = injected({.null_rate = 0, .null_sweep_share = 0, .slower_rate = 1});
  configuration.baseline = sample_solution("plain", "y = 2 * x;\n// losing speed: 0.4995\n");
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_THAT(state.injection(1).warning, HasSubstr("does not see a known loser"));
}

TEST(SlowerInjection, ThatIsNotSeenIsAWarning) {
  CampaignConfiguration configuration = injected({.null_rate = 0, .null_sweep_share = 0, .slower_rate = 1});
  configuration.baseline = sample_solution("plain", "y = 2 * x;\n// losing speed: 0.4\n");
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_THAT(state.injection(1).warning, HasSubstr("does not see a known loser"));
  EXPECT_EQ(how_often(laboratory.kinds(), "injection_warned"), 1U);
  EXPECT_EQ(state.incumbent, 1) << "and is never promoted";
  EXPECT_THAT(state.alarms(), IsEmpty());
}

}  // namespace
}  // namespace assay::control
