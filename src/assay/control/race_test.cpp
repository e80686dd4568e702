#include <assay/control/race.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A round whose candidates were gated with these intervals of the gain, as multiples of the incumbent's speed.
class Race {
 public:
  explicit Race(int sweeps) { policy_.sweeps_per_round = sweeps; }

  Race& runner(double lower, double upper, task::Outcome outcome = task::Outcome::better) {
    CandidateState& one = state.candidates.emplace_back();
    one.number = static_cast<int>(state.candidates.size());
    one.round = 1;
    one.outcome = outcome;
    one.gate_log_ratio = LogRatio{-(std::log(lower) + std::log(upper)) / 2, -std::log(upper), -std::log(lower)};
    return *this;
  }
  void sweep(int number, bool wins) {
    CandidateState& one = at(number);
    one.sweep_evaluation = "s";
    one.outcome = wins ? task::Outcome::better : task::Outcome::incorrect;
    one.promoted = wins;
  }
  // Runs the race to its end. Who wins its sweep is said beforehand.
  void run(const std::vector<int>& winners) {
    while (const auto step = race_step(state, policy_)) {
      if (const auto* next = std::get_if<SweepNext>(&*step)) {
        swept.push_back(next->candidate);
        sweep(next->candidate, std::find(winners.begin(), winners.end(), next->candidate) != winners.end());
      } else {
        const auto& out = std::get<CandidateOutrun>(*step);
        at(out.candidate).outrun = Outrun{out.by, out.ground, out.why};
        outrun.push_back(out.candidate);
      }
    }
  }
  CandidateState& at(int number) { return state.candidates[static_cast<std::size_t>(number - 1)]; }

  CampaignState state = [] {
    CampaignState begun;
    begun.rounds_started = 1;
    return begun;
  }();
  std::vector<int> swept;
  std::vector<int> outrun;

 private:
  promote::Policy policy_;
};

TEST(RaceStep, OfNobodyIsOver) {
  Race race(2);
  race.run({});
  EXPECT_TRUE(race.swept.empty());
  race.runner(1.1, 1.2, task::Outcome::indistinguishable).runner(1.1, 1.3, task::Outcome::not_better);
  race.run({});
  EXPECT_TRUE(race.swept.empty() && race.outrun.empty()) << "who did not win its gate is no runner";
}

TEST(RaceStep, SweepsTheSurestGainFirstNotTheLargestEstimate) {
  Race race(1);
  race.runner(1.05, 2.2).runner(1.3, 1.5).runner(1.2, 1.6);
  race.run({});
  EXPECT_THAT(race.swept, ElementsAre(2));
}

TEST(RaceStep, ThoseWhoseBestIsBelowAWinnersWorstAreOutrunWhateverSweepsAreLeft) {
  Race race(5);
  race.runner(1.05, 1.2).runner(1.5, 1.7).runner(1.1, 1.49).runner(1.4, 1.6);
  race.run({2});
  EXPECT_THAT(race.swept, ElementsAre(2, 4)) << "4 overlaps with the winner: a sweep decides";
  EXPECT_THAT(race.outrun, ElementsAre(3, 1));
  for (const int number : {1, 3}) {
    EXPECT_EQ(race.at(number).outrun->by, 2);
    EXPECT_EQ(race.at(number).outrun->ground, OutrunGround::bounds);
  }
  EXPECT_THAT(race.at(1).outrun->why,
              AllOf(HasSubstr("at most 1.200x"), HasSubstr("candidate 2"), HasSubstr("1.500x")));
}

TEST(RaceStep, ALeaderThatLosesItsSweepOutrunsNobody) {
  Race race(3);
  race.runner(1.05, 1.2).runner(1.5, 1.7).runner(1.1, 1.15);
  race.run({1});
  EXPECT_THAT(race.swept, ElementsAre(2, 3, 1)) << "the interval of an incorrect candidate bounds nothing";
  EXPECT_TRUE(race.outrun.empty());
}

TEST(RaceStep, ADemotedWinnerHasOutrunNobodyAndItsSweepIsNotCounted) {
  Race race(1);
  race.runner(1.5, 1.7).runner(1.1, 1.2).runner(1.3, 1.4);
  race.run({1});
  EXPECT_THAT(race.swept, ElementsAre(1));
  race.at(1).demotion = "not confirmed";
  race.at(2).in_race_again = race.at(3).in_race_again = true;
  race.state.rounds_started = 4;  // Others came since; it is this round that is open.
  const auto step = race_step(race.state, promote::Policy());
  ASSERT_TRUE(step && std::holds_alternative<SweepNext>(*step));
  EXPECT_EQ(std::get<SweepNext>(*step).candidate, 3);
  race.sweep(3, true);
  const auto next = race_step(race.state, promote::Policy());
  ASSERT_TRUE(next && std::holds_alternative<CandidateOutrun>(*next));
  EXPECT_EQ(std::get<CandidateOutrun>(*next).by, 3);
  race.at(2).in_race_again = false;
  EXPECT_FALSE(race_step(race.state, promote::Policy()));
}

TEST(RaceStep, AWinnerThatAPersonRefusedOutrunsNobody) {
  Race race(2);
  race.runner(1.05, 1.2).runner(1.5, 1.7);
  race.sweep(2, true);
  race.at(2).promoted = false;
  race.run({});
  EXPECT_THAT(race.swept, ElementsAre(1));
}

TEST(RaceStep, TheCapEndsItAndSaysWhoHadTheSweeps) {
  Race race(2);
  race.runner(1.3, 1.6).runner(1.31, 1.6).runner(1.29, 1.6).runner(1.28, 1.6);
  race.run({});
  EXPECT_THAT(race.swept, ElementsAre(2, 1));
  EXPECT_THAT(race.outrun, ElementsAre(3, 4));
  EXPECT_EQ(race.at(4).outrun->by, 2);
  EXPECT_EQ(race.at(4).outrun->ground, OutrunGround::cap);
  EXPECT_THAT(race.at(4).outrun->why, HasSubstr("sweeps 2 of a round, which went to candidates 2, 1"));
}

TEST(RaceStep, IsAboutTheNewestRound) {
  Race race(1);
  race.runner(1.3, 1.6).runner(1.2, 1.4);
  race.at(1).round = 0;
  race.run({});
  EXPECT_THAT(race.swept, ElementsAre(2));
  EXPECT_TRUE(race.outrun.empty()) << "an earlier round's race is over, whatever became of it";
}

TEST(RaceStep, EqualsAreTakenInTheirOrder) {
  Race race(1);
  race.runner(1.2, 1.4).runner(1.2, 1.4);
  race.run({});
  EXPECT_THAT(race.swept, ElementsAre(1));
}

TEST(Outruns, NeedsAGapBetweenTheIntervals) {
  EXPECT_TRUE(outruns({-0.5, -0.6, -0.4}, {-0.3, -0.39, -0.2}));
  EXPECT_FALSE(outruns({-0.5, -0.6, -0.4}, {-0.3, -0.4, -0.2})) << "to touch is to overlap";
  EXPECT_FALSE(outruns({-0.3, -0.39, -0.2}, {-0.5, -0.6, -0.4}));
}

}  // namespace
}  // namespace assay::control
