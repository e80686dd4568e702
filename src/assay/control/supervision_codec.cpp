#include <assay/control/supervision_codec.hpp>

#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>
#include <assay/control/ledger.hpp>
#include <assay/supervise/words.hpp>

namespace assay::control {
namespace {

std::int64_t read_seconds(task::Fields& fields) { return fields.required("seconds").integer({0, kLargestAmount}); }

Option read_option(const task::Node& node) { return static_cast<Option>(node.word(kOptions)); }

}  // namespace

std::string_view to_string(DecisionKind kind) { return kDecisionKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Option option) { return kOptions[static_cast<std::size_t>(option)]; }
std::string_view to_string(Closing closing) { return kClosings[static_cast<std::size_t>(closing)]; }

base::Json body_of(const SupervisorFound& entry) {
  return {{"round", entry.round},
          {"condition", std::string(supervise::to_string(entry.condition))},
          {"cause", std::string(supervise::to_string(entry.cause))},
          {"recovery", std::string(supervise::to_string(entry.recovery))},
          {"since", entry.since},
          {"at", entry.at},
          {"evidence", entry.evidence}};
}

void read_body(task::Fields& fields, SupervisorFound& entry) {
  entry.round = read_int(fields.required("round"));
  entry.condition = static_cast<supervise::Condition>(fields.required("condition").word(supervise::kConditionNames));
  entry.cause = static_cast<supervise::Cause>(fields.required("cause").word(supervise::kCauseNames));
  entry.recovery = static_cast<supervise::Recovery>(fields.required("recovery").word(supervise::kRecoveryNames));
  entry.since = read_int(fields.required("since"), 1);
  entry.at = read_int(fields.required("at"), 1);
  entry.evidence = read_name(fields.required("evidence"));
}

base::Json body_of(const DecisionAsked& entry) {
  base::Json options = base::Json::array();
  for (const Option option : entry.options) {
    options.push_back(std::string(to_string(option)));
  }
  return {{"number", entry.number},
          {"kind", std::string(to_string(entry.kind))},
          {"round", entry.round},
          {"candidate", entry.candidate},
          {"question", entry.question},
          {"options", std::move(options)},
          {"otherwise", std::string(to_string(entry.otherwise))},
          {"deadline", entry.deadline ? base::Json(*entry.deadline) : base::Json()}};
}

void read_body(task::Fields& fields, DecisionAsked& entry) {
  entry.number = read_int(fields.required("number"), 1);
  entry.kind = static_cast<DecisionKind>(fields.required("kind").word(kDecisionKinds));
  entry.round = read_int(fields.required("round"));
  entry.candidate = read_int(fields.required("candidate"));
  entry.question = read_name(fields.required("question"));
  for (const task::Node& option : fields.required("options").items(1)) {
    entry.options.push_back(read_option(option));
  }
  entry.otherwise = read_option(fields.required("otherwise"));
  if (const task::Node deadline = fields.required("deadline"); deadline.has_value()) {
    entry.deadline = read_int(deadline);
  }
}

base::Json body_of(const DecisionAnswered& entry) {
  return {{"decision", entry.decision}, {"option", std::string(to_string(entry.option))},
          {"value", entry.value},       {"by", entry.by},
          {"seconds", entry.seconds},   {"why", entry.why}};
}

void read_body(task::Fields& fields, DecisionAnswered& entry) {
  entry.decision = read_int(fields.required("decision"), 1);
  entry.option = read_option(fields.required("option"));
  entry.value = fields.required("value").text();
  entry.by = read_name(fields.required("by"));
  entry.seconds = read_seconds(fields);
  entry.why = fields.required("why").text();
}

base::Json body_of(const DecisionClosed& entry) {
  return {{"decision", entry.decision}, {"closing", std::string(to_string(entry.closing))}};
}

void read_body(task::Fields& fields, DecisionClosed& entry) {
  entry.decision = read_int(fields.required("decision"), 1);
  entry.closing = static_cast<Closing>(fields.required("closing").word(kClosings));
}

base::Json body_of(const PersonSteered& entry) {
  return {{"key", entry.key}, {"by", entry.by}, {"seconds", entry.seconds}, {"text", entry.text}};
}

void read_body(task::Fields& fields, PersonSteered& entry) {
  entry.key = read_name(fields.required("key"));
  entry.by = read_name(fields.required("by"));
  entry.seconds = read_seconds(fields);
  entry.text = read_name(fields.required("text"));
}

}  // namespace assay::control
