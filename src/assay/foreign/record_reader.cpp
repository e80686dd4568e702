#include <assay/foreign/record_reader.hpp>

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>

namespace assay::foreign {
namespace {

// A time outside of these was never measured, and ratios of times inside of them are finite.
constexpr double kShortestMs = 1e-9;
constexpr double kLongestMs = 1e12;

// Indices are those of the enumerations.
constexpr std::array<std::string_view, 4> kStatusWords = {"success", "execution_failed", "validation_failed",
                                                          "framework_error"};
constexpr std::array<std::string_view, 10> kKindWords = {
    "none",    "COMPILE_ERROR", "RUNTIME_ERROR", "INCORRECT_NUMERICAL", "INCORRECT_SHAPE", "INCORRECT_DTYPE",
    "TIMEOUT", "SHARD_FAILED",  "NO_RESULTS",    "FRAMEWORK_TIMEOUT"};

std::optional<std::int64_t> optional_integer(const task::Node& node, std::int64_t minimum) {
  return node.has_value() ? std::optional(node.integer({.minimum = minimum})) : std::nullopt;
}

// UTC as "2026-04-14T18:09:01.060Z", which sorts as text: offsets and other precisions would not.
std::optional<std::string> optional_time(const task::Node& node) {
  auto text = node.optional_text();
  if (text) {
    constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd.dddZ";
    bool fits = text->size() == kShape.size();
    for (std::size_t i = 0; fits && i < kShape.size(); ++i) {
      fits = kShape[i] == 'd' ? base::is_digit((*text)[i]) : (*text)[i] == kShape[i];
    }
    if (!fits) {
      node.problem("must be UTC like \"2026-04-14T18:09:01.060Z\"");
    }
  }
  return text;
}

std::vector<WorkloadRow> read_rows(const task::Node& node) {
  std::vector<WorkloadRow> rows;
  if (!node.has_value()) {
    return rows;
  }
  for (const task::Node& item : node.items()) {
    task::Fields fields(item);
    WorkloadRow row;
    row.uuid = fields.optional("uuid").optional_text().value_or("");
    const task::Node axes = fields.optional("axes");
    if (axes.has_value()) {
      for (const auto& [name, value] : axes.members()) {
        row.axes.emplace_back(name, value.integer());
      }
    }
    row.latency_ms = read_positive(fields.optional("latency_ms"));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<Profile> read_profile(const task::Node& node) {
  if (!node.has_value()) {
    return std::nullopt;
  }
  task::Fields fields(node);
  Profile profile;
  profile.usable = fields.required("usable").boolean();
  profile.failure = fields.optional("failure").optional_text().value_or("");
  return profile;
}

}  // namespace

base::Result<void> for_each_record(
    std::string_view text, std::string_view source,
    const std::function<base::Result<void>(const base::Json&, const std::string&)>& read) {
  std::size_t number = 0;
  for (const std::string& line : base::split(text, '\n')) {
    ++number;
    if (base::trim(line).empty()) {
      continue;
    }
    const std::string place = fmt::format("{}:{}", source, number);
    ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(line, place));
    ASSAY_TRY(read(json, place));
  }
  return {};
}

std::optional<double> read_positive(const task::Node& node) {
  if (!node.has_value()) {
    return std::nullopt;
  }
  const double value = node.number();
  if (!(value >= kShortestMs && value <= kLongestMs)) {
    node.problem("must be a time in ms above 0, at most some decades, or null where nothing was recorded");
    return std::nullopt;
  }
  return value;
}

base::Digest read_digest(const task::Node& node) {
  if (!node.present()) {
    return {};
  }
  auto digest = base::Digest::parse(node.text());
  if (!digest) {
    node.problem("must be a SHA-256 as 64 lowercase hexadecimal digits");
    return {};
  }
  return *digest;
}

Evaluation read_evaluation(const task::Node& node) {
  task::Fields fields(node);
  Evaluation evaluation;
  evaluation.trace = fields.required("trace").text(task::TextRule::non_empty);
  evaluation.id = fields.required("evaluation").text(task::TextRule::non_empty);
  evaluation.iteration = optional_integer(fields.optional("iteration"), 0);
  evaluation.round = optional_integer(fields.optional("round"), 0);
  evaluation.candidate = optional_integer(fields.optional("candidate"), 0);
  evaluation.controller_run = optional_integer(fields.optional("controller_run"), 0);
  evaluation.solution = fields.optional("solution").optional_text(task::TextRule::non_empty);
  evaluation.time = optional_time(fields.optional("time"));
  evaluation.source = read_digest(fields.required("source_sha256"));
  evaluation.normalised = read_digest(fields.required("normalized_sha256"));
  const task::Node evaluator = fields.optional("evaluator_sha256");
  if (evaluator.has_value()) {
    evaluation.evaluator = read_digest(evaluator);
  }
  evaluation.status = static_cast<Status>(fields.required("status").word(kStatusWords));
  const task::Node kind = fields.required("recorded_kind");
  evaluation.kind = static_cast<RecordedKind>(kind.word(kKindWords));
  if (kind.present() && evaluation.succeeded() != (evaluation.kind == RecordedKind::none)) {
    kind.problem("must be \"none\" for a success, and name what went wrong for anything else");
  }
  const task::Node score = fields.optional("score");
  if (score.has_value()) {
    evaluation.score = score.number();
    if (!std::isfinite(*evaluation.score)) {
      score.problem("must be finite");
    }
  }
  evaluation.workloads = optional_integer(fields.optional("workloads_total"), 1);
  const task::Node latency = fields.optional("mean_latency_ms");
  const task::Node reference = fields.optional("mean_reference_latency_ms");
  if (evaluation.succeeded()) {
    evaluation.latency_ms = read_positive(latency);
    evaluation.reference_latency_ms = read_positive(reference);
    if (!latency.has_value() || !reference.has_value()) {
      node.problem_at(latency.has_value() ? "/mean_reference_latency_ms" : "/mean_latency_ms",
                      "a success must have its mean latencies");
    }
  }
  evaluation.per_workload = read_rows(fields.optional("per_workload"));
  evaluation.profile = read_profile(fields.optional("profile"));
  evaluation.message = fields.optional("error_excerpt").optional_text().value_or("");
  return evaluation;
}

}  // namespace assay::foreign
