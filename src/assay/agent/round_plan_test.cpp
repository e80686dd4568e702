#include <assay/agent/round_plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kGood =
    R"({"parent": 3, "regime": "all", "limiting_resource": "memory", "mechanism": "fewer transactions",
        "change": "vectorise loads", "predicted_speedup": 1.25, "differs": "aligned now"})";

PlanRules rules(std::size_t most = 2) { return {{{0, 0, "a"}, {3, 1, "b"}}, {"n 1..8"}, most}; }

PlanReading read(const std::string& items, std::size_t most = 2) {
  return read_plan_answer(R"({"hypotheses": [)" + items + "]}", rules(most));
}

// The good one with one text in it replaced.
std::string with(const std::string& what, const std::string& by) {
  std::string text = kGood;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(PlanAnswer, IsReadWhole) {
  const PlanReading reading = read(kGood);
  EXPECT_THAT(reading.faults, IsEmpty());
  ASSERT_THAT(reading.hypotheses, SizeIs(1));
  EXPECT_EQ(reading.hypotheses[0],
            (PlannedHypothesis{3, "all", "memory", "fewer transactions", "vectorise loads", 1.25, "aligned now"}));
  EXPECT_EQ(read(with("\"all\"", "\"n 1..8\"")).hypotheses.at(0).regime, "n 1..8");
}

TEST(PlanAnswer, IsAHypothesisOfTheCampaignsMemory) {
  const task::Hypothesis hypothesis = hypothesis_of(read(kGood).hypotheses.at(0));
  EXPECT_EQ(hypothesis.mechanism, "fewer transactions");
  EXPECT_EQ(hypothesis.regime, "all");
  EXPECT_EQ(hypothesis.differs, "aligned now");
  EXPECT_EQ(task::predicted_text(hypothesis.predicted), "1.000x to 1.250x");
  // Less than was predicted, and surely a gain: the route stays open.
  EXPECT_EQ(task::judge_hypothesis(hypothesis.predicted, task::MeasuredEffect{-0.1, -0.11, -0.09}),
            task::HypothesisStatus::supported);
  EXPECT_EQ(task::judge_hypothesis(hypothesis.predicted, task::MeasuredEffect{0.1, 0.09, 0.11}),
            task::HypothesisStatus::falsified);
  PlannedHypothesis slower;
  slower.predicted_speedup = 0.9;
  EXPECT_EQ(hypothesis_of(slower).predicted, task::PredictedEffect());
}

TEST(PlanAnswer, OneThatIsWrongDoesNotSpoilTheOthers) {
  const PlanReading reading = read(with("\"all\"", "\"everywhere\"") + "," + kGood);
  EXPECT_THAT(reading.hypotheses, SizeIs(1));
  EXPECT_THAT(reading.faults, ElementsAre(HasSubstr("/hypotheses/0/regime: is no regime of this campaign")));
}

TEST(PlanAnswer, NamesWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {with("\"parent\": 3", "\"parent\": 7"), "/parent: is none of the parents"},
      {with("\"parent\": 3", "\"parent\": -1"), "/parent"},
      {with("\"parent\": 3,", ""), "/parent"},
      {with("1.25", "0"), "/predicted_speedup: must lie above 0"},
      {with("1.25", "\"NaN\""), "/predicted_speedup: must lie above 0"},
      {with("1.25", "5000"), "/predicted_speedup"},
      {with("\"vectorise loads\"", "\"\""), "/change"},
      {with("\"vectorise loads\"", "[]"), "/change"},
      {with("\"memory\"", "\"memory\", \"approved\": true"), "/approved"},
      {"7", "/hypotheses/0"}};
  for (const auto& [item, fault] : wrong) {
    const PlanReading reading = read(item);
    EXPECT_THAT(reading.hypotheses, IsEmpty()) << item;
    EXPECT_THAT(reading.faults, ::testing::Contains(HasSubstr(fault))) << item;
  }
}

TEST(PlanAnswer, WhatIsNoPlanIsOneFault) {
  for (const char* text : {"", "I would vectorise the loads.", "[]", "{}", R"({"hypotheses": 3})",
                           R"({"hypotheses": []})", R"({"hypotheses": [], "hypotheses": []})"}) {
    const PlanReading reading = read_plan_answer(text, rules());
    EXPECT_THAT(reading.hypotheses, IsEmpty()) << text;
    EXPECT_THAT(reading.faults, SizeIs(1)) << text;
  }
  EXPECT_THAT(read_plan_answer(std::string(100'000, '['), rules()).faults, SizeIs(1));
}

TEST(PlanAnswer, MoreThanWereAskedForAreLeftOut) {
  const PlanReading reading = read(std::string(kGood) + "," + kGood, 1);
  EXPECT_THAT(reading.hypotheses, SizeIs(1));
  EXPECT_THAT(reading.faults, ElementsAre(HasSubstr("1 were asked for")));
}

TEST(PlanAnswer, TextsAreKeptOnOneLineAndClipped) {
  const PlanReading reading =
      read(with("vectorise loads", "x\\n# New instructions\\u001b[31m" + std::string(900, 'y')));
  const std::string change = reading.hypotheses.at(0).change;
  EXPECT_EQ(change.find('\n'), std::string::npos);
  EXPECT_EQ(change.find('\x1b'), std::string::npos);
  EXPECT_LE(change.size(), kLongestStatement);
  std::string faults;
  for (int i = 0; i < 100; ++i) {
    faults += std::string(i == 0 ? "" : ",") + "1";
  }
  EXPECT_LE(read(faults, 100).faults.size(), kMostAnswerFaults);
}

TEST(PlannedHypotheses, AreWhatTheirCandidatesState) {
  const Hypothesis hypothesis = stated({3, "all", "memory", "fewer transactions", "vectorise loads", 1.25});
  EXPECT_EQ(hypothesis.change, "vectorise loads (fewer transactions)");
  EXPECT_EQ(hypothesis.predicted_effect, "1.25x the parent's speed");
  EXPECT_EQ(hypothesis.limiting_resource, "memory");
}

}  // namespace
}  // namespace assay::agent
