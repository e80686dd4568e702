#include <assay/control/campaign.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/base/random.hpp>
#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Laboratory;
using testing::must;
using ::testing::Not;
using testing::sample_configuration;
using testing::sample_solution;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::size_t count(const std::vector<std::string>& values, const std::string& one) {
  return static_cast<std::size_t>(std::count(values.begin(), values.end(), one));
}

TEST(Campaign, RunsToAConfirmedPromotion) {
  Laboratory laboratory(sample_configuration());
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.failure, "");
  ASSERT_TRUE(state.incumbent);
  const CandidateState& winner = state.candidate(*state.incumbent);
  EXPECT_TRUE(winner.promoted);
  EXPECT_EQ(winner.answered_by, "policy quick");
  EXPECT_EQ(winner.name, "blocked@4-2");
  EXPECT_NEAR(*winner.log_ratio_to_baseline, std::log(0.6), 0.01);
  EXPECT_LT(*winner.log_ratio_to_baseline_lower, *winner.log_ratio_to_baseline);
  EXPECT_GT(*winner.log_ratio_to_baseline_upper, *winner.log_ratio_to_baseline);
  ASSERT_TRUE(state.confirmation);
  EXPECT_EQ(state.confirmation->verdict, promote::Decision::Verdict::promote);
  EXPECT_NEAR(state.confirmation->speedup, 1 / 0.6, 0.01);
  EXPECT_EQ(state.confirmation->workloads, 4);
  // Supplied, and all six points of the tunable in two rounds.
  EXPECT_THAT(state.candidates, SizeIs(12));
  EXPECT_EQ(state.rounds_started, 2);
  EXPECT_EQ(laboratory.kinds().front(), "campaign_started");
  EXPECT_EQ(laboratory.kinds().back(), "campaign_finished");
}

TEST(Campaign, GivesEachSuppliedCandidateItsOutcome) {
  Laboratory laboratory(sample_configuration());
  const CampaignState state = must(laboratory.run());
  using task::Outcome;
  const auto outcome = [&](int number) { return *state.candidate(number).outcome; };
  EXPECT_EQ(outcome(1), Outcome::not_built);
  EXPECT_EQ(outcome(2), Outcome::incorrect);
  EXPECT_THAT(state.candidate(2).cause, HasSubstr("incorrect"));
  EXPECT_EQ(outcome(3), Outcome::duplicate);
  EXPECT_EQ(state.candidate(3).duplicate_of, 0);
  EXPECT_THAT(state.candidate(3).cause, HasSubstr("same bytes as the baseline"));
  EXPECT_EQ(outcome(4), Outcome::duplicate);
  EXPECT_THAT(state.candidate(4).cause, HasSubstr("the baseline after comments and blank space"));
  EXPECT_EQ(outcome(5), Outcome::not_better);
  EXPECT_NEAR(*state.candidate(5).log_ratio_to_baseline, std::log(1.3), 0.01);
  EXPECT_EQ(outcome(6), Outcome::duplicate);
  EXPECT_EQ(state.candidate(6).duplicate_of, 1);
  for (const int number : {3, 4, 6}) {
    EXPECT_EQ(state.candidate(number).gate_evaluation, "");
  }
}

TEST(Campaign, BuildsNoDuplicateAndEachOtherCandidateOnce) {
  Laboratory laboratory(sample_configuration());
  must(laboratory.run());
  const auto& prepared = laboratory.evaluator().prepared;
  ASSERT_THAT(prepared, SizeIs(4));
  EXPECT_THAT(prepared[0], ElementsAre("plain"));
  EXPECT_THAT(prepared[1], ElementsAre("plain", "no-build", "wrong", "slow"));
  EXPECT_THAT(prepared[2], AllOf(SizeIs(4), Contains("blocked@1-1")));
  EXPECT_THAT(prepared[3], SizeIs(4));
  EXPECT_THAT(prepared[3].front(), StartsWith("blocked@"));  // the incumbent by then
}

TEST(Campaign, AsksForWhatEachStageNeeds) {
  const CampaignConfiguration configuration = sample_configuration();
  Laboratory laboratory(configuration);
  must(laboratory.run());
  std::vector<std::string> ids;
  for (const task::EvaluationRequest& request : laboratory.evaluator().requests) {
    ids.push_back(request.id);
    // A simulated device: the seed follows from the campaign's and the id.
    EXPECT_EQ(request.seed, base::mix(7, base::stream_id(request.id)));
    EXPECT_EQ(request.device, "simulated:7");
    if (request.stage == task::Stage::gate) {
      EXPECT_THAT(request.workloads, SizeIs(2));
      EXPECT_EQ(request.plan.maximum_pairs, configuration.policy.gate.maximum_pairs);
    } else {
      EXPECT_THAT(request.workloads, SizeIs(4));
    }
  }
  EXPECT_EQ(ids.front(), "scale-search-0-measure-1");
  EXPECT_THAT(ids, Contains("scale-search-1-gate-1"));
  EXPECT_THAT(ids, Not(Contains("scale-search-3-gate-1")));
  EXPECT_THAT(ids.back(), HasSubstr("-confirm-1"));
  const task::EvaluationRequest& last = laboratory.evaluator().requests.back();
  EXPECT_EQ(last.incumbent->name, "plain");
  EXPECT_EQ(last.stage, task::Stage::sweep);
  const task::EvaluationRequest& first = laboratory.evaluator().requests.front();
  EXPECT_EQ(first.plan.minimum_pairs, 2);
  EXPECT_EQ(first.plan.maximum_pairs, 2);
  EXPECT_FALSE(first.incumbent);
}

TEST(Campaign, ArchivesEveryEvaluationAndLeavesTheSpoolEmpty) {
  Laboratory laboratory(sample_configuration());
  must(laboratory.run());
  const auto evaluations = must(laboratory.archive().evaluations("scale-search", ""));
  EXPECT_THAT(evaluations, SizeIs(static_cast<std::size_t>(laboratory.evaluator().judged)));
  EXPECT_THAT(must(os::list_directory(laboratory.archive().spool())), IsEmpty());
  EXPECT_THAT(must(laboratory.archive().verify()).problems, IsEmpty());
  // Everything proposed is stored too, duplicates with it.
  EXPECT_TRUE(must(laboratory.archive().candidate(laboratory.state().candidate(4).identity.content.hex())));
}

TEST(Campaign, DrawsNoSeedForARealDevice) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.device = "cpu";
  Laboratory laboratory(configuration);
  EXPECT_EQ(must(laboratory.run()).phase, Phase::finished);
  for (const task::EvaluationRequest& request : laboratory.evaluator().requests) {
    EXPECT_FALSE(request.seed);
  }
}

TEST(Campaign, SweepsOnlyTheBestGateWinnersOfARound) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.rounds = 0;
  configuration.supplied = {sample_solution("a", "a\n// speed: 0.9\n"), sample_solution("b", "b\n// speed: 0.7\n"),
                            sample_solution("c", "c\n// speed: 0.8\n")};
  Laboratory laboratory(configuration);
  CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.incumbent, 2);
  EXPECT_EQ(state.candidate(1).sweep_evaluation, "");
  EXPECT_EQ(state.candidate(3).sweep_evaluation, "");
  // The winner's interval lies beyond both others', so that more sweeps would not have been given to them.
  for (const int number : {1, 3}) {
    ASSERT_TRUE(state.candidate(number).outrun) << number;
    EXPECT_EQ(state.candidate(number).outrun->by, 2);
    EXPECT_EQ(state.candidate(number).outrun->ground, OutrunGround::bounds);
  }

  configuration.policy.sweeps_per_round = 2;
  Laboratory second(configuration);
  state = must(second.run());
  EXPECT_EQ(state.incumbent, 2);
  EXPECT_EQ(state.candidate(3).sweep_evaluation, "") << "outrun, although the policy has a sweep left";

  // Where the intervals overlap, a sweep decides: against the new incumbent, which it does not beat.
  configuration.supplied[2] = sample_solution("c", "c\n// speed: 0.7001\n");
  Laboratory third(configuration);
  state = must(third.run());
  const int winner = *state.incumbent;
  const int other = winner == 2 ? 3 : 2;
  EXPECT_NE(state.candidate(other).sweep_evaluation, "");
  EXPECT_EQ(state.candidate(other).outcome, task::Outcome::not_better);
  EXPECT_THAT(state.candidate(other).cause, HasSubstr("excluded"));
  EXPECT_FALSE(state.candidate(other).outrun);
  const auto& requests = third.evaluator().requests;
  EXPECT_EQ(requests[requests.size() - 2].incumbent->name, state.candidate(winner).name);
}

TEST(Campaign, KeepsTheIncumbentOnATie) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.rounds = 0;
  configuration.supplied = {sample_solution("twin", "y = x * 2;\n// speed: 0.98\n")};  // at the edge of 2 %
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_FALSE(state.incumbent);
  EXPECT_EQ(state.candidate(1).outcome, task::Outcome::indistinguishable);
  EXPECT_EQ(count(laboratory.kinds(), "candidate_promoted"), 0U);
  EXPECT_EQ(count(laboratory.kinds(), "campaign_confirmed"), 0U);
  EXPECT_EQ(state.confirmation_evaluation, "");
}

TEST(Campaign, DoesNotPromoteWhatFailsInItsSweep) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.rounds = 0;
  configuration.supplied = {sample_solution("fragile", "y = f(x);\n// speed: 0.5\n// sweep: incorrect\n")};
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_FALSE(state.incumbent);
  EXPECT_EQ(state.candidate(1).outcome, task::Outcome::incorrect);
  EXPECT_NE(state.candidate(1).sweep_evaluation, "");
  EXPECT_EQ(state.candidate(1).decision->verdict, promote::Decision::Verdict::keep_incumbent);
  EXPECT_THAT(state.candidate(1).decision->reasons.front(), HasSubstr("incorrect"));
}

TEST(Campaign, ChainsRatiosOverIncumbents) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied = {sample_solution("half", "y = h(x);\n// speed: 0.75\n")};
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  for (const CandidateState& candidate : state.candidates) {
    if (candidate.round > 0) {
      task::Solution solution = *configuration.tunable;
      solution.parameters = candidate.parameters;
      EXPECT_NEAR(*candidate.log_ratio_to_baseline, std::log(testing::relative_time(solution)), 0.01) << candidate.name;
    }
  }
}

TEST(Campaign, EndsEarlyWhenNothingIsLeftToTry) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = 9;
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_THAT(state.candidates, SizeIs(6));
  EXPECT_TRUE(state.exhausted);
  EXPECT_EQ(state.rounds_started, 3);
}

TEST(Campaign, WithNothingToTryConfirmsNothing) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied.clear();
  configuration.rounds = 0;
  Laboratory laboratory(configuration);
  EXPECT_EQ(must(laboratory.run()).phase, Phase::finished);
  EXPECT_THAT(laboratory.kinds(),
              ElementsAre("campaign_started", "evaluation_intended", "baseline_measured", "campaign_finished"));
}

TEST(Campaign, FailsWithABaselineThatIsNotCorrect) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.baseline = sample_solution("broken", "y = 0;\n// outcome: incorrect\n");
  Laboratory laboratory(configuration);
  const CampaignState state = must(laboratory.run());
  EXPECT_EQ(state.phase, Phase::failed);
  EXPECT_THAT(state.failure, HasSubstr("the baseline is incorrect"));
  EXPECT_THAT(state.candidates, IsEmpty());
  EXPECT_THAT(laboratory.kinds(), ElementsAre("campaign_started", "evaluation_intended", "baseline_failed"));
  // And stays so.
  EXPECT_EQ(must(laboratory.run()).phase, Phase::failed);
  EXPECT_EQ(laboratory.evaluator().judged, 1);
}

TEST(Campaign, ThatIsFinishedDoesNothingMore) {
  Laboratory laboratory(sample_configuration());
  must(laboratory.run());
  const auto before = laboratory.journal();
  const int judged = laboratory.evaluator().judged;
  EXPECT_EQ(must(laboratory.run()).phase, Phase::finished);
  EXPECT_EQ(laboratory.journal(), before);
  EXPECT_EQ(laboratory.evaluator().judged, judged);
}

TEST(Campaign, TellsItsObserverOfEveryEvent) {
  Laboratory laboratory(sample_configuration());
  std::vector<std::string> lines;
  std::int64_t last = 0;
  must(laboratory.run({[&](const CampaignState& state, const std::string& line) {
    EXPECT_EQ(state.last_sequence, ++last);
    lines.push_back(line);
  }}));
  EXPECT_THAT(lines, SizeIs(laboratory.journal().size()));
  EXPECT_THAT(lines, Each(Not(IsEmpty())));
  EXPECT_THAT(lines, Contains("the baseline is measured, without a failure; 4 workloads in 2 regimes"));
  EXPECT_THAT(lines, Contains("round 0: 6 candidates from supplied, 3 of them duplicates"));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("gate of candidate 5 (slow)"))));
  EXPECT_THAT(lines, Contains(AllOf(StartsWith("candidate 5 (slow): not_better, 0.7"), HasSubstr("x ["))));
  EXPECT_THAT(lines, Contains(HasSubstr("is the new incumbent, approved by policy quick")));
  EXPECT_THAT(lines.back(), HasSubstr("finished: the incumbent is candidate"));
}

TEST(Campaign, ThatDoesNotExistIsTheCallersError) {
  Laboratory laboratory(sample_configuration());
  agent::Tuner tuner = must(agent::Tuner::create(*sample_configuration().tunable, 1));
  const auto result = run_campaign(laboratory.archive(), "other", laboratory.evaluator(), tuner, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_THAT(result.error().message, HasSubstr("\"other\""));
}

class TooEager final : public agent::Proposer {
 public:
  std::string name() const override { return "eager"; }
  base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>&, int count) override {
    return std::vector<agent::Proposal>(static_cast<std::size_t>(count) + excess, {proposed, {}, std::nullopt});
  }
  task::Solution proposed;
  std::size_t excess = 0;
};

TEST(Campaign, HoldsProposersToTheirContract) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.supplied.clear();
  Laboratory laboratory(configuration);
  TooEager eager;
  eager.proposed = sample_solution("p", "p\n");
  eager.excess = 1;
  const auto run = [&] {
    return run_campaign(laboratory.archive(), configuration.name, laboratory.evaluator(), eager, {});
  };
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "proposer.too_many");

  eager.excess = 0;
  eager.proposed.definition = "other";
  result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("eager"), HasSubstr("\"other\"")));

  // The same proposal again and again: one candidate and its duplicates, and the campaign ends in time.
  eager.proposed.definition = configuration.definition.name;
  const CampaignState state = must(run());
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_THAT(state.candidates, SizeIs(6));
  EXPECT_EQ(state.candidate(6).duplicate_of, 1);
}

}  // namespace
}  // namespace assay::control
