#include <assay/agent/round_plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/agent/event_line.hpp>
#include <assay/base/text.hpp>
#include <assay/task/decoder.hpp>

namespace assay::agent {
namespace {

constexpr double kLargestPrediction = 1000;

std::string required_statement(task::Fields& fields, std::string_view name) {
  return kept_statement(fields.required(name).text(task::TextRule::non_empty));
}

PlannedHypothesis read_one_hypothesis(const task::Node& node, const PlanRules& rules) {
  PlannedHypothesis one;
  task::Fields fields(node);
  const task::Node parent = fields.required("parent");
  one.parent = static_cast<int>(parent.integer({0, 1'000'000}));
  const auto offered = std::any_of(rules.offers.begin(), rules.offers.end(),
                                   [&](const ParentOffer& offer) { return offer.parent == one.parent; });
  if (parent.present() && !offered) {
    parent.problem("is none of the parents that were offered");
  }
  const task::Node regime = fields.required("regime");
  one.regime = kept_statement(regime.text(task::TextRule::non_empty));
  const bool known = std::find(rules.regimes.begin(), rules.regimes.end(), one.regime) != rules.regimes.end();
  if (regime.present() && !known && one.regime != "all") {
    regime.problem("is no regime of this campaign: use \"all\" or a name of the table");
  }
  one.limiting_resource = required_statement(fields, "limiting_resource");
  one.mechanism = required_statement(fields, "mechanism");
  one.change = required_statement(fields, "change");
  const task::Node predicted = fields.required("predicted_speedup");
  one.predicted_speedup = predicted.number();
  if (predicted.present() && !(one.predicted_speedup > 0 && one.predicted_speedup <= kLargestPrediction)) {
    predicted.problem("must lie above 0, and 1 is as fast as the parent");
  }
  one.differs = kept_statement(fields.required("differs").text());
  fields.refuse_others();
  return one;
}

}  // namespace

std::string kept_statement(std::string_view text) {
  std::string kept = clip(base::printable(text), kLongestStatement);
  std::replace_if(kept.begin(), kept.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return kept;
}

PlanReading read_plan_answer(std::string_view answer, const PlanRules& rules) {
  PlanReading reading;
  const auto fault = [&](const std::string& what) {
    if (reading.faults.size() < kMostAnswerFaults) {
      reading.faults.push_back(kept_statement(what));
    }
  };
  const auto json = base::parse_json(answer, "the plan");
  if (!json) {
    fault(json.error().message);
    return reading;
  }
  if (!json->is_object() || !json->contains("hypotheses") || !(*json)["hypotheses"].is_array()) {
    fault("/hypotheses: must be there, and be an array");
    return reading;
  }
  const base::Json& items = (*json)["hypotheses"];
  if (items.empty()) {
    fault("/hypotheses: at least one is needed");
  }
  if (items.size() > rules.most) {
    fault(fmt::format("/hypotheses: {} were asked for; the others are left out", rules.most));
  }
  for (std::size_t i = 0; i < std::min(items.size(), rules.most); ++i) {
    auto one = task::decode_whole(items[i], task::Coercion::strict,
                                  [&](const task::Node& node) { return read_one_hypothesis(node, rules); });
    if (one.value) {
      reading.hypotheses.push_back(std::move(*one.value));
    }
    for (const task::Problem& problem : one.problems) {
      fault(fmt::format("/hypotheses/{}{}: {}", i, problem.pointer, problem.message));
    }
  }
  return reading;
}

std::string plan_schema() {
  // No lengths: strict structured output does not know them. The reader does.
  const base::Json statement = {{"type", "string"}};
  const base::Json hypothesis = {
      {"type", "object"},
      {"additionalProperties", false},
      {"required", {"parent", "regime", "limiting_resource", "mechanism", "change", "predicted_speedup", "differs"}},
      {"properties",
       {{"parent", {{"type", "integer"}, {"minimum", 0}}},
        {"regime", statement},
        {"limiting_resource", statement},
        {"mechanism", statement},
        {"change", statement},
        {"predicted_speedup", {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", kLargestPrediction}}},
        {"differs", statement}}}};
  return base::dump_pretty(
      {{"$schema", "http://json-schema.org/draft-07/schema#"},
       {"title", "Plan"},
       {"description", "What the planner of a full-agent campaign answers: what the next candidates try."},
       {"type", "object"},
       {"additionalProperties", false},
       {"required", {"hypotheses"}},
       {"properties", {{"hypotheses", {{"type", "array"}, {"minItems", 1}, {"items", hypothesis}}}}}});
}

Hypothesis stated(const PlannedHypothesis& planned) {
  return {planned.regime, planned.limiting_resource,
          planned.mechanism.empty() ? planned.change : fmt::format("{} ({})", planned.change, planned.mechanism),
          fmt::format("{:.3g}x the parent's speed", planned.predicted_speedup)};
}

task::Hypothesis hypothesis_of(const PlannedHypothesis& planned) {
  task::Hypothesis hypothesis;
  hypothesis.regime = planned.regime;
  hypothesis.mechanism = planned.mechanism;
  hypothesis.limiting_resource = planned.limiting_resource;
  hypothesis.change = planned.change;
  hypothesis.differs = planned.differs;
  hypothesis.claimed = stated(planned).predicted_effect;
  if (planned.predicted_speedup > 1) {
    hypothesis.predicted.lower = -std::log(planned.predicted_speedup);
  }
  return hypothesis;
}

base::Json encode(const RoundPlan& plan) {
  base::Json offers = base::Json::array();
  for (const ParentOffer& offer : plan.offers) {
    offers.push_back({{"parent", offer.parent}, {"island", offer.island}, {"cell", offer.cell}});
  }
  base::Json hypotheses = base::Json::array();
  for (const PlannedHypothesis& one : plan.hypotheses) {
    base::Json json = {
        {"parent", one.parent},       {"regime", one.regime}, {"limiting_resource", one.limiting_resource},
        {"mechanism", one.mechanism}, {"change", one.change}, {"predicted_speedup", one.predicted_speedup}};
    if (!one.differs.empty()) {  // Left out otherwise, as journals of before have it.
      json["differs"] = one.differs;
    }
    hypotheses.push_back(std::move(json));
  }
  return {{"round", plan.round},
          {"run", plan.run},
          {"offers", std::move(offers)},
          {"hypotheses", std::move(hypotheses)},
          {"faults", plan.faults}};
}

}  // namespace assay::agent
