#include <assay/agent/tuner.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>

namespace assay::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

task::Solution tunable() {
  task::Solution solution;
  solution.name = "blocked";
  solution.definition = "scale";
  solution.author = "us";
  solution.spec.entry_point = "main.cpp::run";
  solution.sources = {{"main.cpp", "int run() { return BLOCK; }"}};
  solution.tuning =
      task::Tuning{{{"BLOCK", {1, 2, 4, 8, 16}}, {"UNROLL", {1, 2, 4}}, {"THREADS", {1, 2}}}, {"UNROLL <= BLOCK"}};
  return solution;
}

Tuner tuner(std::uint64_t seed = 7) {
  auto made = Tuner::create(tunable(), seed);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

// The smaller, the faster: a bowl around (8, 2, 2).
double cost(const task::Solution& solution) {
  const auto distance = [&](const char* name, double optimum) {
    return std::abs(std::log2(static_cast<double>(*task::find(solution.parameters, name)) / optimum));
  };
  return 0.1 * (distance("BLOCK", 8) + distance("UNROLL", 2) + distance("THREADS", 2)) - 0.5;
}

void measure(std::vector<Trial>& history, const std::vector<Proposal>& proposals) {
  for (const Proposal& proposal : proposals) {
    Trial trial;
    trial.number = static_cast<int>(history.size()) + 1;
    trial.solution = proposal.solution;
    trial.outcome = task::Outcome::indistinguishable;
    trial.log_ratio_to_baseline = cost(proposal.solution);
    history.push_back(trial);
  }
}

std::vector<Proposal> propose(Tuner& from, const std::vector<Trial>& history, int count) {
  auto proposals = from.propose(history, count);
  EXPECT_TRUE(proposals) << proposals.error().text();
  return proposals.value_or(std::vector<Proposal>{});
}

std::vector<std::string> names(const std::vector<Proposal>& proposals) {
  std::vector<std::string> all;
  std::transform(proposals.begin(), proposals.end(), std::back_inserter(all),
                 [](const Proposal& one) { return one.solution.name; });
  return all;
}

TEST(Tuner, ProposesTheDefaultsFirst) {
  Tuner one = tuner();
  const auto proposals = propose(one, {}, 8);
  ASSERT_THAT(proposals, SizeIs(8));
  EXPECT_EQ(proposals[0].solution.name, "blocked@1-1-1");
  EXPECT_THAT(proposals[0].hypothesis.change, HasSubstr("declared defaults"));
  EXPECT_FALSE(proposals[0].parent);
  EXPECT_THAT(proposals[1].hypothesis.change, StartsWith("a random point: BLOCK="));
  const auto all = names(proposals);
  EXPECT_THAT(std::set<std::string>(all.begin(), all.end()), SizeIs(8));
}

TEST(Tuner, MovesOneParameterOfTheBestAndSaysWhich) {
  Tuner one = tuner();
  std::vector<Trial> history;
  measure(history, propose(one, {}, 6));
  const auto best = std::min_element(history.begin(), history.end(), [](const Trial& a, const Trial& b) {
    return *a.log_ratio_to_baseline < *b.log_ratio_to_baseline;
  });
  const auto proposals = propose(one, history, 8);
  ASSERT_THAT(proposals, SizeIs(8));
  EXPECT_EQ(proposals[0].parent, best->number);
  EXPECT_THAT(proposals[0].hypothesis.change,
              AllOf(HasSubstr(" -> "), HasSubstr("(parent " + std::to_string(best->number) + ")")));
  EXPECT_THAT(proposals[0].hypothesis.predicted_effect,
              HasSubstr("faster than candidate " + std::to_string(best->number) + ", the best so far"));
  const auto with_parent =
      std::count_if(proposals.begin(), proposals.end(), [](const Proposal& p) { return p.parent; });
  EXPECT_EQ(with_parent, 6);  // a quarter of eight explores
  for (const Proposal& proposal : proposals) {
    if (!proposal.parent) {
      continue;
    }
    const auto& from = history[static_cast<std::size_t>(*proposal.parent - 1)].solution.parameters;
    int moved = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      moved += from[i].second != proposal.solution.parameters[i].second ? 1 : 0;
    }
    EXPECT_EQ(moved, 1) << proposal.solution.name;
  }
}

TEST(Tuner, MovesOnlyFromWhatWasCorrectAndMeasured) {
  Tuner one = tuner();
  std::vector<Trial> history;
  measure(history, propose(one, {}, 4));
  history[0].outcome = task::Outcome::incorrect;
  history[0].log_ratio_to_baseline = -9;
  history[1].log_ratio_to_baseline.reset();
  for (const Proposal& proposal : propose(one, history, 8)) {
    EXPECT_NE(proposal.parent, 1);
    EXPECT_NE(proposal.parent, 2);
  }
  for (Trial& trial : history) {
    trial.outcome = task::Outcome::not_built;
  }
  const auto proposals = propose(one, history, 8);
  EXPECT_THAT(proposals, SizeIs(8));
  for (const Proposal& proposal : proposals) {
    EXPECT_FALSE(proposal.parent);
  }
}

TEST(Tuner, FindsTheOptimumOfABowlMuchSoonerThanBlindSearch) {
  task::Solution solution = tunable();
  solution.tuning = task::Tuning{
      {{"BLOCK", {1, 2, 4, 8, 16, 32, 64, 128}}, {"UNROLL", {1, 2, 4, 8, 16}}, {"THREADS", {1, 2, 4, 8}}}, {}};
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto one = Tuner::create(solution, seed);
    ASSERT_TRUE(one) << one.error().text();
    std::vector<Trial> history;
    for (int round = 0; round < 5; ++round) {
      measure(history, propose(*one, history, 8));
    }
    found += std::any_of(history.begin(), history.end(),
                         [](const Trial& trial) { return trial.solution.name == "blocked@8-2-2"; });
  }
  EXPECT_GE(found, 14);  // 40 of 160 points: blind search would find it in 5 of 20
}

TEST(Tuner, ExhaustsASmallSpaceAndThenReturnsFewer) {
  Tuner one = tuner();
  std::vector<Trial> history;
  measure(history, propose(one, history, 20));
  EXPECT_THAT(history, SizeIs(20));
  measure(history, propose(one, history, 20));
  EXPECT_THAT(history, SizeIs(24));  // 5*3*2 less UNROLL 2 and 4 at BLOCK 1 and UNROLL 4 at BLOCK 2, twice
  EXPECT_THAT(propose(one, history, 20), IsEmpty());
}

TEST(Tuner, SearchesASpaceTooLargeToEnumerate) {
  task::Solution solution = tunable();
  solution.tuning->parameters.clear();
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) {
    solution.tuning->parameters.emplace_back(name, std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
  solution.tuning->constraints = {"A <= B", "B <= C"};
  auto one = Tuner::create(solution, 3);
  ASSERT_TRUE(one) << one.error().text();
  std::vector<Trial> history;
  for (const Proposal& proposal : propose(*one, {}, 30)) {
    Trial trial;
    trial.number = static_cast<int>(history.size()) + 1;
    trial.solution = proposal.solution;
    trial.outcome = task::Outcome::better;
    trial.log_ratio_to_baseline = -0.01 * trial.number;
    history.push_back(trial);
    EXPECT_TRUE(with_parameters(solution, proposal.solution.parameters)) << proposal.solution.name;
  }
  EXPECT_THAT(history, SizeIs(30));
  EXPECT_THAT(propose(*one, history, 12), SizeIs(12));
}

TEST(Tuner, CountsSuppliedCandidatesOnlyIfTheyAreItsOwn) {
  Tuner one = tuner();
  Trial own;
  own.number = 1;
  own.solution = *with_parameters(tunable(), {{"BLOCK", 1}, {"UNROLL", 1}, {"THREADS", 1}});
  own.solution.name = "by hand";
  EXPECT_NE(names(propose(one, {own}, 1)).front(), "blocked@1-1-1");

  Trial other = own;
  other.solution.sources[0].content = "int run() { return 2 * BLOCK; }";
  EXPECT_EQ(names(propose(one, {other}, 1)).front(), "blocked@1-1-1");
}

TEST(Tuner, ReturnsNothingForNoCount) {
  Tuner one = tuner();
  EXPECT_THAT(propose(one, {}, 0), IsEmpty());
  EXPECT_THAT(propose(one, {}, -1), IsEmpty());
}

TEST(Tuner, NeedsASolutionThatDeclaresParameters) {
  task::Solution plain = tunable();
  plain.tuning.reset();
  const auto made = Tuner::create(plain, 1);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text(), AllOf(HasSubstr("declares no parameters"), HasSubstr("\"blocked\"")));
}

RC_GTEST_PROP(TunerProperty, NeverRepeatsAndNeverBreaksAConstraint, (std::uint64_t seed)) {
  Tuner one = tuner(seed);
  std::vector<Trial> history;
  std::set<std::string> seen;
  while (true) {
    const int count = *rc::gen::inRange(1, 9);
    const auto proposals = propose(one, history, count);
    RC_ASSERT(static_cast<int>(proposals.size()) <= count);
    for (const Proposal& proposal : proposals) {
      RC_ASSERT(seen.insert(proposal.solution.name).second);
      RC_ASSERT(with_parameters(tunable(), proposal.solution.parameters).has_value());
      RC_ASSERT(!proposal.hypothesis.change.empty());
    }
    if (static_cast<int>(proposals.size()) < count) {
      break;
    }
    const std::size_t before = history.size();
    measure(history, proposals);
    for (std::size_t i = before; i < history.size(); ++i) {
      history[i].outcome = *rc::gen::elementOf(task::all_outcomes());
    }
  }
  RC_ASSERT(seen.size() == 24U);
}

RC_GTEST_PROP(TunerProperty, IsAPureFunctionOfSeedAndHistory, (std::uint64_t seed)) {
  Tuner one = tuner(seed);
  std::vector<Trial> history;
  measure(history, propose(one, history, 5));
  measure(history, propose(one, history, 5));
  Tuner fresh = tuner(seed);
  RC_ASSERT(names(propose(one, history, 6)) == names(propose(fresh, history, 6)));
  RC_ASSERT(names(propose(one, history, 6)) == names(propose(fresh, history, 6)));
}

TEST(Tuner, DependsOnItsSeed) {
  Tuner one = tuner(1);
  Tuner other = tuner(2);
  EXPECT_NE(names(propose(one, {}, 8)), names(propose(other, {}, 8)));
}

TEST(WithParameters, NamesAndOrdersTheValues) {
  const auto chosen = with_parameters(tunable(), {{"THREADS", 2}, {"UNROLL", 4}, {"BLOCK", 8}});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_EQ(chosen->name, "blocked@8-4-2");
  EXPECT_EQ(chosen->parameters.front().first, "BLOCK");
  const auto again = with_parameters(*chosen, {{"THREADS", 1}, {"UNROLL", 1}, {"BLOCK", 2}});
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->name, "blocked@2-1-1");
}

TEST(WithParameters, RefusesWhatDoesNotFit) {
  const auto message = [](const task::Named<std::int64_t>& values) {
    const auto chosen = with_parameters(tunable(), values);
    EXPECT_FALSE(chosen);
    return chosen ? std::string() : chosen.error().message;
  };
  EXPECT_THAT(message({{"BLOCK", 8}, {"UNROLL", 4}}), HasSubstr("parameter THREADS has no value: give one of 1, 2"));
  EXPECT_THAT(message({{"BLOCK", 3}, {"UNROLL", 1}, {"THREADS", 1}}), HasSubstr("BLOCK=3 is not among"));
  EXPECT_THAT(message({{"BLOCK", 1}, {"UNROLL", 2}, {"THREADS", 1}}),
              HasSubstr("breaks the constraint \"UNROLL <= BLOCK\""));
  EXPECT_THAT(message({{"BLOCK", 1}, {"UNROLL", 1}, {"THREADS", 1}, {"X", 1}}), HasSubstr("no parameter X"));
  EXPECT_THAT(message({{"BLOCK", 1}, {"UNROLL", 1}, {"THREADS", 1}, {"BLOCK", 2}}), HasSubstr("set twice"));
  task::Solution plain = tunable();
  plain.tuning.reset();
  EXPECT_FALSE(with_parameters(plain, {}));
}

}  // namespace
}  // namespace assay::agent
