#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

using base::Json;

// Indices are those of TraceStatus.
constexpr std::array<std::string_view, 7> kStatuses = {
    "PASSED", "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "INCORRECT_DTYPE", "RUNTIME_ERROR", "COMPILE_ERROR", "TIMEOUT"};

enum class NotANumber : std::uint8_t { allowed, refused };

double read_measure(const Node& node, NotANumber rule) {
  const double value = node.number();
  if (value < 0 || (std::isnan(value) && rule == NotANumber::refused)) {
    node.problem(rule == NotANumber::refused ? "must be at least 0" : "must be at least 0, or NaN");
  }
  return value;
}

TraceCorrectness read_correctness(const Node& node) {
  TraceCorrectness correctness;
  Fields fields(node);
  correctness.max_relative_error = read_measure(fields.optional("max_relative_error"), NotANumber::allowed);
  correctness.max_absolute_error = read_measure(fields.optional("max_absolute_error"), NotANumber::allowed);
  const Node extra = fields.optional("extra");
  if (extra.is_object()) {
    correctness.extra_json = base::dump_compact(extra.json());
  } else if (extra.has_value()) {
    extra.problem("must be an object or null");
  }
  return correctness;
}

TracePerformance read_performance(const Node& node) {
  TracePerformance performance;
  Fields fields(node);
  performance.latency_ms = read_measure(fields.optional("latency_ms"), NotANumber::refused);
  performance.reference_latency_ms = read_measure(fields.optional("reference_latency_ms"), NotANumber::refused);
  performance.speedup_factor = read_measure(fields.optional("speedup_factor"), NotANumber::refused);
  return performance;
}

// A passed trace has both, an INCORRECT_NUMERICAL one its errors only, all others neither.
void check_presence(const Node& node, const TraceEvaluation& evaluation) {
  const bool passed = evaluation.status == TraceStatus::passed;
  const bool wants_correctness = passed || evaluation.status == TraceStatus::incorrect_numerical;
  const auto check = [&](const char* field, bool wanted, bool given) {
    if (wanted != given) {
      node.problem(fmt::format("{} \"{}\" when the status is {}: {} it", wanted ? "must have" : "must not have", field,
                               to_string(evaluation.status), wanted ? "add" : "remove"));
    }
  };
  check("correctness", wants_correctness, evaluation.correctness.has_value());
  check("performance", passed, evaluation.performance.has_value());
}

TraceEvaluation read_trace_evaluation(const Node& node) {
  TraceEvaluation evaluation;
  const std::size_t before = node.problem_count();
  Fields fields(node);
  evaluation.status = static_cast<TraceStatus>(fields.required("status").word(kStatuses));
  Fields environment(fields.required("environment"));
  evaluation.hardware = environment.required("hardware").text(TextRule::non_empty);
  for (const auto& [name, member] : environment.optional("libs").members()) {
    evaluation.libraries.emplace_back(name, member.text());
  }
  evaluation.timestamp = fields.required("timestamp").text(TextRule::non_empty);
  evaluation.log = fields.optional("log").text();
  const Node correctness = fields.optional("correctness");
  if (correctness.has_value()) {
    evaluation.correctness = read_correctness(correctness);
  }
  const Node performance = fields.optional("performance");
  if (performance.has_value()) {
    evaluation.performance = read_performance(performance);
  }
  if (node.problem_count() == before) {
    check_presence(node, evaluation);
  }
  return evaluation;
}

Json encode_correctness(const TraceCorrectness& correctness) {
  Json json;
  json["max_relative_error"] = encode_number(correctness.max_relative_error);
  json["max_absolute_error"] = encode_number(correctness.max_absolute_error);
  json["extra"] = Json();
  if (correctness.extra_json) {
    json["extra"] = Json::parse(*correctness.extra_json, nullptr, false);
    ASSAY_CHECK(json["extra"].is_object());
  }
  return json;
}

Json encode_performance(const TracePerformance& performance) {
  Json json;
  json["latency_ms"] = encode_number(performance.latency_ms);
  json["reference_latency_ms"] = encode_number(performance.reference_latency_ms);
  json["speedup_factor"] = encode_number(performance.speedup_factor);
  return json;
}

Json encode_evaluation(const TraceEvaluation& evaluation) {
  Json json;
  json["status"] = to_string(evaluation.status);
  json["environment"]["hardware"] = evaluation.hardware;
  Json& libraries = json["environment"]["libs"] = Json::object();
  for (const auto& [name, version] : evaluation.libraries) {
    libraries[name] = version;
  }
  json["timestamp"] = evaluation.timestamp;
  json["log"] = evaluation.log;
  json["correctness"] = evaluation.correctness ? encode_correctness(*evaluation.correctness) : Json();
  json["performance"] = evaluation.performance ? encode_performance(*evaluation.performance) : Json();
  return json;
}

}  // namespace

std::string_view to_string(TraceStatus status) { return kStatuses.at(static_cast<std::size_t>(status)); }

Trace read_trace(const Node& node) {
  Trace trace;
  Fields fields(node);
  trace.definition = fields.required("definition").text(TextRule::non_empty);
  trace.workload = read_workload(fields.required("workload"));
  trace.solution = fields.optional("solution").optional_text();
  const Node evaluation = fields.optional("evaluation");
  if (evaluation.has_value()) {
    trace.evaluation = read_trace_evaluation(evaluation);
  }
  return trace;
}

Decoded<Trace> decode_trace(const Json& json, Dialect) { return decode_whole(json, Coercion::lax, read_trace); }

Json encode(const Trace& trace) {
  Json json;
  json["definition"] = trace.definition;
  json["workload"] = encode(trace.workload);
  json["solution"] = trace.solution ? Json(*trace.solution) : Json();
  json["evaluation"] = trace.evaluation ? encode_evaluation(*trace.evaluation) : Json();
  return json;
}

}  // namespace assay::task
