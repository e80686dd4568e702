#include <assay/task/hypothesis.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace assay::task {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 4> kHypothesisStatuses = {"open", "supported", "falsified", "undecided"};

constexpr std::size_t kLongestKey = 120;

bool is_interval(const MeasuredEffect& effect) { return effect.lower <= effect.mean && effect.mean <= effect.upper; }

double speed(double log_ratio) { return std::exp(-log_ratio); }

base::Json encode_bounds(double lower, double upper) {
  return {{"lower", encode_number(lower)}, {"upper", encode_number(upper)}};
}

PredictedEffect read_predicted(const Node& node) {
  PredictedEffect predicted;
  Fields fields(node);
  predicted.lower = fields.required("lower").number();
  predicted.upper = fields.required("upper").number();
  fields.refuse_others();
  if (node.present() && !(predicted.lower <= predicted.upper && predicted.upper <= 0)) {
    node.problem("is no prediction of a gain: lower, then upper, both at most 0");
  }
  return predicted;
}

base::Json encode_effect(const std::optional<MeasuredEffect>& effect) {
  if (!effect) {
    return {};
  }
  return {{"mean", encode_number(effect->mean)},
          {"lower", encode_number(effect->lower)},
          {"upper", encode_number(effect->upper)}};
}

std::optional<MeasuredEffect> read_effect(const Node& node) {
  if (!node.has_value()) {
    return std::nullopt;
  }
  MeasuredEffect effect;
  Fields fields(node);
  effect.mean = fields.required("mean").number();
  effect.lower = fields.required("lower").number();
  effect.upper = fields.required("upper").number();
  fields.refuse_others();
  return effect;
}

}  // namespace

std::string_view to_string(HypothesisStatus status) { return kHypothesisStatuses[static_cast<std::size_t>(status)]; }

HypothesisStatus judge_hypothesis(const PredictedEffect& predicted, const std::optional<MeasuredEffect>& effect) {
  if (!effect || !is_interval(*effect)) {
    return HypothesisStatus::undecided;
  }
  if (effect->lower >= 0 || effect->lower > predicted.upper) {
    return HypothesisStatus::falsified;
  }
  return effect->upper < 0 ? HypothesisStatus::supported : HypothesisStatus::undecided;
}

std::string explain_status(const PredictedEffect& predicted, const std::optional<MeasuredEffect>& effect) {
  if (!effect || !is_interval(*effect)) {
    return "nothing was compared, so that it is neither supported nor falsified";
  }
  const std::string measured = effect_text(*effect);
  switch (judge_hypothesis(predicted, effect)) {
    case HypothesisStatus::falsified:
      return effect->lower >= 0
                 ? fmt::format("measured {}: no gain is left in the interval", measured)
                 : fmt::format("measured {}: less than predicted ({})", measured, predicted_text(predicted));
    case HypothesisStatus::supported:
      return effect->upper < predicted.lower
                 ? fmt::format("measured {}: a gain, and more than predicted ({})", measured, predicted_text(predicted))
                 : fmt::format("measured {}: a gain, and predicted was {}", measured, predicted_text(predicted));
    case HypothesisStatus::open:
    case HypothesisStatus::undecided:
      break;
  }
  return fmt::format("measured {}: with and without a gain both fit", measured);
}

std::string effect_text(const MeasuredEffect& effect) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", speed(effect.mean), speed(effect.upper), speed(effect.lower));
}

std::string predicted_text(const PredictedEffect& predicted) {
  if (std::isinf(predicted.lower)) {
    return predicted.upper < 0 ? fmt::format("at least {:.3f}x", speed(predicted.upper)) : "faster";
  }
  return fmt::format("{:.3f}x to {:.3f}x", speed(predicted.upper), speed(predicted.lower));
}

std::string route_key(std::string_view text) {
  std::string key;
  bool gap = false;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const auto byte = static_cast<unsigned char>(c);
    // Bytes of other scripts are letters: what their lower case is, nobody needs to know to see that they are the same.
    const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80;
    if (!word) {
      gap = true;
      continue;
    }
    if (gap && !key.empty()) {
      key += '-';
    }
    gap = false;
    key += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (key.size() >= kLongestKey) {
      break;
    }
  }
  return key;
}

bool same_route(const Hypothesis& one, const Hypothesis& other) {
  const std::string mechanism = route_key(one.mechanism);
  return !mechanism.empty() && mechanism == route_key(other.mechanism) &&
         route_key(one.regime) == route_key(other.regime);
}

base::Json encode(const Hypothesis& hypothesis) {
  return {{"regime", hypothesis.regime},
          {"mechanism", hypothesis.mechanism},
          {"limiting_resource", hypothesis.limiting_resource},
          {"change", hypothesis.change},
          {"predicted", encode_bounds(hypothesis.predicted.lower, hypothesis.predicted.upper)},
          {"differs", hypothesis.differs},
          {"claimed", hypothesis.claimed}};
}

Hypothesis read_stated_hypothesis(const Node& node) {
  Hypothesis hypothesis;
  Fields fields(node);
  hypothesis.regime = fields.required("regime").text(TextRule::non_empty);
  hypothesis.mechanism = fields.required("mechanism").text();
  hypothesis.limiting_resource = fields.required("limiting_resource").text();
  hypothesis.change = fields.required("change").text();
  hypothesis.predicted = read_predicted(fields.required("predicted"));
  hypothesis.differs = fields.required("differs").text();
  hypothesis.claimed = fields.required("claimed").text();
  fields.refuse_others();
  return hypothesis;
}

base::Json encode(const HypothesisTest& test) {
  return {{"evaluation", test.evaluation},
          {"environment", test.environment},
          {"against", test.against},
          {"outcome", std::string(to_string(test.outcome))},
          {"effect", encode_effect(test.effect)},
          {"status", std::string(to_string(test.status))},
          {"why", test.why}};
}

HypothesisTest read_hypothesis_test(const Node& node) {
  HypothesisTest test;
  Fields fields(node);
  test.evaluation = fields.required("evaluation").text(TextRule::non_empty);
  test.environment = fields.required("environment").text();
  test.against = static_cast<int>(fields.required("against").integer({0, std::numeric_limits<int>::max()}));
  const Node outcome = fields.required("outcome");
  if (const auto parsed = parse_outcome(outcome.text())) {
    test.outcome = *parsed;
  } else if (outcome.present()) {
    outcome.problem("is no outcome");
  }
  test.effect = read_effect(fields.required("effect"));
  test.status = static_cast<HypothesisStatus>(fields.required("status").word(kHypothesisStatuses));
  test.why = fields.required("why").text();
  fields.refuse_others();
  return test;
}

}  // namespace assay::task
