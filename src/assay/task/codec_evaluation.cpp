#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include <assay/task/decoder.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::task {

namespace {

using base::Json;

Outcome read_outcome(const Node& node) {
  std::vector<std::string_view> words;
  for (const Outcome outcome : all_outcomes()) {
    words.push_back(to_string(outcome));
  }
  return all_outcomes()[node.word(words)];
}

double read_duration(const Node& node) {
  const double value = node.number();
  if (!(value >= 0)) {
    node.problem("must be at least 0");
  }
  return value;
}

Named<std::string> read_environment(const Node& node) {
  Named<std::string> environment;
  for (const auto& [name, member] : node.entries()) {
    environment.emplace_back(name, member.text());
  }
  return environment;
}

std::vector<double> read_durations(const Node& node) {
  std::vector<double> values;
  for (const Node& item : node.items()) {
    values.push_back(read_duration(item));
  }
  return values;
}

OfficialTiming read_official_timing(const Node& node) {
  OfficialTiming timing;
  Fields fields(node);
  timing.method = kOfficialTimingMethod;
  constexpr std::array<std::string_view, 1> kMethods = {kOfficialTimingMethod};
  static_cast<void>(fields.required("method").word(kMethods));
  timing.untimed_calls = fields.required("untimed_calls").integer({.minimum = 0});
  timing.timed_calls = fields.required("timed_calls").integer({.minimum = 1});
  for (const Node& item : fields.required("workloads").items()) {
    Fields of_workload(item);
    OfficialLatency& latency = timing.workloads.emplace_back();
    latency.uuid = of_workload.required("uuid").text(TextRule::non_empty);
    latency.candidate_ns = read_durations(of_workload.required("candidate_ns"));
    latency.incumbent_ns = read_durations(of_workload.required("incumbent_ns"));
    of_workload.refuse_others();
  }
  fields.refuse_others();
  return timing;
}

OfficialVerdict read_official(const Node& node) {
  OfficialVerdict verdict;
  Fields fields(node);
  verdict.passed = fields.required("passed").boolean();
  verdict.trials = fields.required("trials").integer({.minimum = 0});
  verdict.reason = fields.required("reason").text();
  if (const Node timing = fields.optional("timing"); timing.present()) {
    verdict.timing = read_official_timing(timing);
  }
  if (const Node not_timed = fields.optional("not_timed"); not_timed.present()) {
    verdict.not_timed = not_timed.text(TextRule::non_empty);
  }
  fields.refuse_others();
  return verdict;
}

TrialsRecord read_trials(const Node& node) {
  TrialsRecord record;
  Fields fields(node);
  record.calls = fields.required("calls").integer({.minimum = 0});
  record.on_each = fields.required("on_each").integer({.minimum = 0});
  record.seconds = read_duration(fields.required("seconds"));
  record.candidate_seconds = read_duration(fields.required("candidate_seconds"));
  if (const Node counts = fields.optional("on_workloads"); counts.present()) {  // Records of before had none.
    record.on_workloads = counts.integers({.minimum = 0});
  }
  fields.refuse_others();
  return record;
}

template <class T, class Read>
std::vector<T> read_all(const Node& node, Read read) {
  std::vector<T> values;
  for (const Node& item : node.items()) {
    values.push_back(read(item));
  }
  return values;
}

Evaluation read_evaluation(const Node& node) {
  Evaluation evaluation;
  Fields fields(node);
  const Node version = fields.required("version");
  if (version.present() && version.integer() != kEvaluationVersion) {
    version.problem(fmt::format("is not {}, the only version that this program reads: use the program that wrote it",
                                kEvaluationVersion));
    return evaluation;
  }
  evaluation.id = fields.required("id").text(TextRule::non_empty);
  evaluation.stage = static_cast<Stage>(fields.required("stage").word(evaluated_stage_names()));
  evaluation.device = fields.required("device").text(TextRule::non_empty);
  evaluation.outcome = read_outcome(fields.required("outcome"));
  evaluation.cause = fields.required("cause").text();
  evaluation.findings = read_all<Finding>(fields.required("findings"), read_finding);
  evaluation.candidate = read_identity(fields.required("candidate"));
  const Node incumbent = fields.required("incumbent");
  if (incumbent.has_value()) {
    evaluation.incumbent = read_identity(incumbent);
  }
  evaluation.candidate_build = read_build(fields.required("candidate_build"));
  const Node incumbent_build = fields.required("incumbent_build");
  if (incumbent_build.has_value()) {
    evaluation.incumbent_build = read_build(incumbent_build);
  }
  evaluation.checked_calls = fields.required("checked_calls").integer({.minimum = 0});
  evaluation.timings = read_all<WorkloadTiming>(fields.required("timings"), read_timing);
  const Node comparison = fields.required("comparison");
  if (comparison.has_value()) {
    evaluation.comparison = read_comparison(comparison);
  }
  if (const Node trials = fields.optional("stress_trials"); trials.present()) {  // Evaluations of before had none.
    evaluation.stress_trials = trials.integer({.minimum = 0});
  }
  if (const Node doubts = fields.optional("checker_doubts"); doubts.present()) {
    evaluation.checker_doubts = doubts.integer({.minimum = 0});
  }
  if (const Node replayed = fields.optional("replayed"); replayed.present()) {
    evaluation.replayed = replayed.integer({.minimum = 0});
  }
  if (const Node clean = fields.optional("clean_on_workloads"); clean.present()) {
    evaluation.clean_on_workloads = clean.integers({.minimum = 0});
  }
  if (const Node inputs = fields.optional("failing_inputs"); inputs.present()) {
    evaluation.failing_inputs = read_all<FailingInput>(inputs, read_failing_input);
  }
  if (const Node official = fields.optional("official"); official.present()) {
    evaluation.official = read_official(official);
  }
  if (const Node trials = fields.optional("trials"); trials.present()) {
    evaluation.trials = read_trials(trials);
  }
  if (const Node phases = fields.optional("phases"); phases.present()) {
    for (const auto& [name, seconds] : phases.entries()) {
      evaluation.phases.emplace_back(name, read_duration(seconds));
    }
  }
  evaluation.timer_floor_ns = read_duration(fields.required("timer_floor_ns"));
  if (const Node clock = fields.optional("clock"); clock.present()) {  // Evaluations of before had none.
    evaluation.timing = read_clock(clock);
  }
  if (const Node readings = fields.optional("device_readings"); readings.present()) {
    evaluation.device_readings = read_all<PairReadings>(readings, read_readings);
  }
  if (const Node canary = fields.optional("canary"); canary.present()) {
    evaluation.canary = read_canary(canary);
  }
  evaluation.seed = fields.required("seed").unsigned_integer();
  evaluation.environment = read_environment(fields.required("environment"));
  evaluation.retries = fields.required("retries").texts();
  evaluation.started = fields.required("started").text();
  evaluation.wall_seconds = read_duration(fields.required("wall_seconds"));
  fields.refuse_others();
  return evaluation;
}

template <class T, class Encode>
Json encode_all(const std::vector<T>& values, Encode encode_one) {
  Json array = Json::array();
  for (const T& value : values) {
    array.push_back(encode_one(value));
  }
  return array;
}

Json encode_environment(const Named<std::string>& environment) {
  Json object = Json::object();
  for (const auto& [name, value] : environment) {
    object[name] = value;
  }
  return object;
}

Json encode_durations(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) {
    array.push_back(encode_number(value));
  }
  return array;
}

Json encode_official(const OfficialVerdict& verdict) {
  Json json = {{"passed", verdict.passed}, {"trials", verdict.trials}, {"reason", verdict.reason}};
  if (verdict.timing) {
    const OfficialTiming& timing = *verdict.timing;
    json["timing"] = {{"method", timing.method},
                      {"untimed_calls", timing.untimed_calls},
                      {"timed_calls", timing.timed_calls},
                      {"workloads", encode_all(timing.workloads, [](const OfficialLatency& latency) {
                         return Json{{"uuid", latency.uuid},
                                     {"candidate_ns", encode_durations(latency.candidate_ns)},
                                     {"incumbent_ns", encode_durations(latency.incumbent_ns)}};
                       })}};
  }
  if (!verdict.not_timed.empty()) {
    json["not_timed"] = verdict.not_timed;
  }
  return json;
}

}  // namespace

bool same_machine_code(const BuildRecord& a, const BuildRecord& b) {
  return !a.code.machine_code.empty() && a.code.machine_code == b.code.machine_code;
}

bool is_self_comparison(const Evaluation& evaluation) {
  return evaluation.incumbent_build && same_machine_code(evaluation.candidate_build, *evaluation.incumbent_build);
}

bool holds_as_noise(const EvaluationRequest& request, const Evaluation& evaluation) {
  return !request.judge_twin && is_self_comparison(evaluation);
}

std::vector<std::int64_t> clean_trials(const Evaluation& evaluation, std::size_t workloads) {
  if (evaluation.clean_on_workloads.size() == workloads) {
    return evaluation.clean_on_workloads;
  }
  if (!evaluation.trials) {
    return std::vector<std::int64_t>(workloads, 0);
  }
  const TrialsRecord& trials = *evaluation.trials;
  return trials.on_workloads.size() == workloads ? trials.on_workloads
                                                 : std::vector<std::int64_t>(workloads, trials.on_each);
}

double official_latency(const std::vector<double>& medians_ns) {
  return medians_ns.empty()
             ? 0
             : std::accumulate(medians_ns.begin(), medians_ns.end(), 0.0) / static_cast<double>(medians_ns.size());
}

Json encode(const Evaluation& evaluation) {
  Json json;
  json["version"] = kEvaluationVersion;
  json["id"] = evaluation.id;
  json["stage"] = to_string(evaluation.stage);
  json["device"] = evaluation.device;
  json["outcome"] = to_string(evaluation.outcome);
  json["cause"] = evaluation.cause;
  json["findings"] = encode_all(evaluation.findings, encode_finding);
  json["candidate"] = encode_identity(evaluation.candidate);
  json["incumbent"] = evaluation.incumbent ? encode_identity(*evaluation.incumbent) : Json();
  json["candidate_build"] = encode_build(evaluation.candidate_build);
  json["incumbent_build"] = evaluation.incumbent_build ? encode_build(*evaluation.incumbent_build) : Json();
  json["checked_calls"] = evaluation.checked_calls;
  json["timings"] = encode_all(evaluation.timings, encode_timing);
  json["comparison"] = evaluation.comparison ? encode_comparison(*evaluation.comparison) : Json();
  json["stress_trials"] = evaluation.stress_trials;
  if (evaluation.checker_doubts) {
    json["checker_doubts"] = *evaluation.checker_doubts;
  }
  if (evaluation.replayed > 0) {
    json["replayed"] = evaluation.replayed;
  }
  if (!evaluation.clean_on_workloads.empty()) {
    json["clean_on_workloads"] = evaluation.clean_on_workloads;
  }
  for (const FailingInput& input : evaluation.failing_inputs) {
    json["failing_inputs"].push_back(encode(input));
  }
  if (evaluation.official) {
    json["official"] = encode_official(*evaluation.official);
  }
  if (evaluation.trials) {
    json["trials"] = {{"calls", evaluation.trials->calls},
                      {"on_each", evaluation.trials->on_each},
                      {"seconds", encode_number(evaluation.trials->seconds)},
                      {"candidate_seconds", encode_number(evaluation.trials->candidate_seconds)}};
    if (!evaluation.trials->on_workloads.empty()) {
      json["trials"]["on_workloads"] = evaluation.trials->on_workloads;
    }
  }
  for (const auto& [name, seconds] : evaluation.phases) {
    json["phases"][name] = encode_number(seconds);
  }
  json["timer_floor_ns"] = encode_number(evaluation.timer_floor_ns);
  if (evaluation.timing) {
    json["clock"] = encode_clock(*evaluation.timing);
  }
  if (!evaluation.device_readings.empty()) {
    json["device_readings"] = encode_all(evaluation.device_readings, encode_readings);
  }
  if (evaluation.canary) {
    json["canary"] = encode_canary(*evaluation.canary);
  }
  json["seed"] = evaluation.seed;
  json["environment"] = encode_environment(evaluation.environment);
  json["retries"] = evaluation.retries;
  json["started"] = evaluation.started;
  json["wall_seconds"] = encode_number(evaluation.wall_seconds);
  return json;
}

base::Result<Evaluation> decode_evaluation(const Json& json, std::string_view source) {
  return as_result(decode_whole(json, Coercion::strict, read_evaluation), source);
}

}  // namespace assay::task
