#include <assay/control/event_fields.hpp>

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/task/record_codec.hpp>

namespace assay::control {
namespace {

using base::Json;
using task::encode_number;
using task::Fields;
using task::Node;

}  // namespace

int read_int(const Node& node, std::int64_t minimum) {
  return static_cast<int>(node.integer({minimum, std::numeric_limits<int>::max()}));
}

std::string read_name(const Node& node) { return node.text(task::TextRule::non_empty); }

task::Outcome read_outcome(const Node& node) {
  const std::string text = node.text();
  const auto outcome = task::parse_outcome(text);
  if (node.present() && !outcome) {
    node.problem(fmt::format("\"{}\" is not a known outcome", text));
  }
  return outcome.value_or(task::Outcome::suspect);
}

Json outcome_json(task::Outcome outcome) { return std::string(task::to_string(outcome)); }

Json ended_body(const char* subject, int number, const std::string& evaluation, task::Outcome outcome,
                const std::string& cause) {
  return {{subject, number}, {"evaluation", evaluation}, {"outcome", outcome_json(outcome)}, {"cause", cause}};
}

promote::Decision read_decision(const Node& node) {
  if (!node.present()) {
    return {};
  }
  auto decision = promote::decode_decision(node.json(), "decision");
  if (!decision) {
    node.problem(decision.error().message);
    return {};
  }
  return std::move(*decision);
}

Json encode_log_ratio(const std::optional<LogRatio>& ratio) {
  if (!ratio) {
    return {};
  }
  return {{"mean", encode_number(ratio->mean)},
          {"lower", encode_number(ratio->lower)},
          {"upper", encode_number(ratio->upper)}};
}

std::optional<LogRatio> read_log_ratio(const Node& node) {
  if (!node.has_value()) {
    return std::nullopt;
  }
  LogRatio ratio;
  Fields fields(node);
  ratio.mean = fields.required("mean").number();
  ratio.lower = fields.required("lower").number();
  ratio.upper = fields.required("upper").number();
  fields.refuse_others();
  return ratio;
}

}  // namespace assay::control
