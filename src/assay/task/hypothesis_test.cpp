#include <assay/task/hypothesis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace assay::task {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MeasuredEffect between(double lower, double upper) { return {(lower + upper) / 2, lower, upper}; }

TEST(JudgeHypothesis, AnIntervalWithoutAGainFalsifies) {
  EXPECT_EQ(judge_hypothesis({}, between(0.01, 0.05)), HypothesisStatus::falsified);
  EXPECT_EQ(judge_hypothesis({}, between(0, 0.05)), HypothesisStatus::falsified);
  EXPECT_EQ(judge_hypothesis({}, MeasuredEffect{0, 0, 0}), HypothesisStatus::falsified) << "the same time is no gain";
}

TEST(JudgeHypothesis, AnIntervalAboveThePredictionFalsifiesEvenWithAGain) {
  const PredictedEffect predicted{-0.3, -0.1};
  EXPECT_EQ(judge_hypothesis(predicted, between(-0.09, -0.05)), HypothesisStatus::falsified);
  EXPECT_EQ(judge_hypothesis(predicted, between(-0.11, -0.05)), HypothesisStatus::supported);
  EXPECT_EQ(judge_hypothesis(predicted, between(-0.5, -0.4)), HypothesisStatus::supported) << "more is not less";
}

TEST(JudgeHypothesis, WhatFitsBothIsUndecided) {
  EXPECT_EQ(judge_hypothesis({}, between(-0.02, 0.01)), HypothesisStatus::undecided);
  EXPECT_EQ(judge_hypothesis({-0.3, -0.1}, between(-0.2, 0.01)), HypothesisStatus::undecided);
  EXPECT_EQ(judge_hypothesis({}, between(-0.02, 0)), HypothesisStatus::undecided);
}

TEST(JudgeHypothesis, WithoutAnIntervalNothingIsDecided) {
  EXPECT_EQ(judge_hypothesis({}, std::nullopt), HypothesisStatus::undecided);
  const double none = std::nan("");
  EXPECT_EQ(judge_hypothesis({}, MeasuredEffect{none, none, none}), HypothesisStatus::undecided);
  EXPECT_EQ(judge_hypothesis({}, MeasuredEffect{-0.1, -0.05, -0.2}), HypothesisStatus::undecided);
  EXPECT_EQ(judge_hypothesis({}, MeasuredEffect{-0.1, -kInfinity, kInfinity}), HypothesisStatus::undecided);
}

// Whatever an author claims, the status is a function of two intervals: the texts cannot reach it.
TEST(JudgeHypothesis, WordsHaveNoWayIn) {
  Hypothesis boastful;
  boastful.claimed = "status: supported. This is proven to be 10x faster.";
  boastful.change = "supported";
  EXPECT_EQ(judge_hypothesis(boastful.predicted, between(0.1, 0.2)), HypothesisStatus::falsified);
  EXPECT_EQ(judge_hypothesis(boastful.predicted, std::nullopt), HypothesisStatus::undecided);
}

TEST(ExplainStatus, GivesTheNumbersAsSpeed) {
  EXPECT_THAT(explain_status({}, between(0, 0.02)), HasSubstr("0.990x [0.980, 1.000]: no gain is left"));
  EXPECT_THAT(explain_status({-0.3, -0.1}, between(-0.06, -0.04)), HasSubstr("less than predicted (1.105x to 1.350x)"));
  EXPECT_THAT(explain_status({-0.3, -0.1}, between(-0.6, -0.5)), HasSubstr("more than predicted"));
  EXPECT_THAT(explain_status({}, between(-0.6, -0.5)), HasSubstr("predicted was faster"));
  EXPECT_THAT(explain_status({}, between(-0.01, 0.01)), HasSubstr("both fit"));
  EXPECT_THAT(explain_status({}, std::nullopt), HasSubstr("nothing was compared"));
}

TEST(PredictedText, SaysHowMuchWasStated) {
  EXPECT_EQ(predicted_text({}), "faster");
  EXPECT_EQ(predicted_text({-kInfinity, std::log(1 / 1.05)}), "at least 1.050x");
  EXPECT_EQ(predicted_text({std::log(1 / 1.2), std::log(1 / 1.05)}), "1.050x to 1.200x");
}

TEST(RouteKey, IsOfWordsAlone) {
  EXPECT_EQ(route_key("Shared-memory  staging!"), "shared-memory-staging");
  EXPECT_EQ(route_key("\n| shared`MEMORY` staging |"), "shared-memory-staging");
  EXPECT_EQ(route_key("  "), "");
  EXPECT_EQ(route_key("größer"), "größer");
  EXPECT_THAT(route_key(std::string(10'000, 'x')), SizeIs(120));
}

TEST(SameRoute, NeedsMechanismAndRegime) {
  Hypothesis one;
  one.mechanism = "fewer barriers";
  one.regime = "m 1..8";
  Hypothesis other = one;
  other.mechanism = "Fewer barriers.";
  other.change = "something else";
  EXPECT_TRUE(same_route(one, other));
  other.regime = "m 16..64";
  EXPECT_FALSE(same_route(one, other));
  other = one;
  other.mechanism = "wider loads";
  EXPECT_FALSE(same_route(one, other));
  one.mechanism = other.mechanism = "?";
  EXPECT_FALSE(same_route(one, other)) << "without a mechanism there is no route";
}

TEST(HypothesisCodec, SurvivesStorageAndRefusesWhatIsNone) {
  const Hypothesis stated{"m 1..8", "wider loads", "memory", "float4", {-0.2, -0.05}, "aligned", "sure"};
  const auto read = decode_whole(encode(stated), Coercion::strict, read_stated_hypothesis);
  ASSERT_TRUE(read.value);
  EXPECT_EQ(*read.value, stated);
  const auto unbounded = decode_whole(encode(Hypothesis{}), Coercion::strict, read_stated_hypothesis);
  ASSERT_TRUE(unbounded.value);
  EXPECT_EQ(unbounded.value->predicted, PredictedEffect{});
  auto document = encode(stated);
  document["predicted"]["upper"] = 0.3;
  EXPECT_FALSE(decode_whole(document, Coercion::strict, read_stated_hypothesis).value);
  document = encode(stated);
  document["status"] = "supported";
  EXPECT_FALSE(decode_whole(document, Coercion::strict, read_stated_hypothesis).value) << "nobody states a status";
}

TEST(HypothesisTestCodec, SurvivesStorage) {
  HypothesisTest test{"c-1-gate-1",     "abc", 2, Outcome::not_better, between(0.1, 0.2), HypothesisStatus::falsified,
                      "no gain is left"};
  auto read = decode_whole(encode(test), Coercion::strict, read_hypothesis_test);
  ASSERT_TRUE(read.value);
  EXPECT_EQ(*read.value, test);
  test.effect.reset();
  read = decode_whole(encode(test), Coercion::strict, read_hypothesis_test);
  ASSERT_TRUE(read.value);
  EXPECT_EQ(*read.value, test);
  auto document = encode(test);
  document["outcome"] = "splendid";
  EXPECT_FALSE(decode_whole(document, Coercion::strict, read_hypothesis_test).value);
}

TEST(HypothesisStatus, KeepsItsNames) {
  EXPECT_EQ(to_string(HypothesisStatus::open), "open");
  EXPECT_EQ(to_string(HypothesisStatus::supported), "supported");
  EXPECT_EQ(to_string(HypothesisStatus::falsified), "falsified");
  EXPECT_EQ(to_string(HypothesisStatus::undecided), "undecided");
}

}  // namespace
}  // namespace assay::task
