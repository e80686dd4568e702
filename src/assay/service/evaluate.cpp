#include <assay/service/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/dataset/given.hpp>
#include <assay/service/judgement.hpp>
#include <assay/service/replay_choice.hpp>
#include <assay/service/solutions.hpp>
#include <assay/service/workload_choice.hpp>
#include <assay/stats/failure_words.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/constraint_summary.hpp>
#include <assay/task/runnable.hpp>

namespace assay::service {

namespace {

constexpr int kOfficialTrials = 3;  // What flashinfer-bench does by default.

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::stored:
      return "stored";
    case Origin::stored_same_source:
      return "stored_same_source";
    case Origin::incumbent_same_source:
      return "incumbent_same_source";
  }
  return "";
}

namespace {

// What is not at hand before the judge has made the inputs stays unknown and unsaid here; `assay validate` says it.
std::vector<std::string> violated_constraints(const task::EvaluationRequest& request) {
  std::vector<std::string> sentences;
  for (const task::ConstraintSummary& summary : task::summarise_constraints(request.definition, request.workloads)) {
    if (summary.violated > 0) {
      sentences.push_back(task::describe(summary));
    }
  }
  return sentences;
}

// The policy with what the command line says in its place: whatever decides a promotion by it must see the same.
base::Result<promote::Policy> timed_as_asked(const EvaluateOptions& options) {
  ASSAY_TRY_ASSIGN(promote::Policy policy, resolve_policy(options.policy));
  for (task::SessionPlan* plan : {&policy.gate, &policy.sweep}) {
    plan->clock = options.clock ? options.clock : plan->clock;
    plan->cache = options.cache.value_or(plan->cache);
    ASSAY_TRY(task::check_timing(*plan, options.device));
  }
  return policy;
}

}  // namespace

base::Result<EvaluateReport> evaluate(const Context& context, const EvaluateOptions& options) {
  // Everything that a person may have mistyped is read before anything is created.
  ASSAY_TRY(check_device(options.device));
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  ASSAY_TRY_ASSIGN(const task::Definition definition, resolve_definition(dataset, options.definition));
  ASSAY_TRY_ASSIGN(const promote::Policy policy, timed_as_asked(options));
  ASSAY_TRY_ASSIGN(const std::vector<task::Workload> workloads, dataset.workloads(definition.name));
  std::optional<archive::Archive> reader;
  if (auto opened = archive::Archive::open_reader(context.places.archive)) {
    reader = std::move(*opened);
  }
  const archive::Archive* known = reader ? &*reader : nullptr;
  ASSAY_TRY_ASSIGN(task::Solution candidate, resolve_solution(dataset, known, options.candidate, definition));
  std::optional<task::Solution> incumbent;
  if (options.against == kNothing) {
    incumbent.reset();
  } else if (options.against.empty()) {
    ASSAY_TRY_ASSIGN(incumbent, default_incumbent(dataset, definition, options.device));
  } else {
    ASSAY_TRY_ASSIGN(incumbent, resolve_solution(dataset, known, options.against, definition));
  }
  std::optional<std::vector<double>> latencies;
  if (options.workloads == "gate" && incumbent && known != nullptr) {
    ASSAY_TRY_ASSIGN(latencies, measured_latencies(*known, *incumbent, options.device,
                                                   task::timing_of(policy.sweep, options.device), workloads));
  }

  task::EvaluationRequest request;
  request.stage = !incumbent                   ? task::Stage::measure
                  : options.workloads == "all" ? task::Stage::sweep
                                               : task::Stage::gate;
  request.device = options.device;
  request.definition = definition;
  ASSAY_TRY_ASSIGN(request.workloads, choose_workloads(workloads, options.workloads, policy.gate_workloads, latencies));
  ASSAY_TRY(dataset::find_given(dataset.root(), definition, request.workloads));
  request.candidate = std::move(candidate);
  request.incumbent = std::move(incumbent);
  request.plan = promote::plan_on(options.device, request.stage == task::Stage::sweep ? policy.sweep : policy.gate);
  if (options.sanitize) {
    request.plan.sanitizers = {task::Sanitizer::memcheck, task::Sanitizer::racecheck, task::Sanitizer::initcheck,
                               task::Sanitizer::synccheck};
  }
  request.official_trials = options.official ? kOfficialTrials : 0;
  request.trials = options.trials;
  request.refuse_twin =
      options.twins == Twins::refuse && options.reuse == Reuse::stored && request.incumbent.has_value();
  if (request.trials == 0 && request.stage == task::Stage::sweep && policy.replay.trials > 0) {
    request.trials = policy.replay.trials;
    request.trials_turn = task::TrialsTurn::after_gain;
  }

  ASSAY_TRY(task::check_runnable(request.definition, request.workloads));
  std::vector<std::string> violated = violated_constraints(request);

  reader.reset();
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  // Only when a kept input asks for it: the digests of a dataset's files take long.
  const GivenSource given = [&](const std::string& uuid) -> base::Result<std::vector<task::GivenInput>> {
    std::vector<task::Workload> named;
    std::copy_if(workloads.begin(), workloads.end(), std::back_inserter(named),
                 [&uuid](const task::Workload& workload) { return workload.uuid == uuid; });
    ASSAY_TRY(dataset::find_given(dataset.root(), definition, named));
    return given_of(named)(uuid);
  };
  ASSAY_TRY(add_history(archive, given, promote::failure_bound(policy, definition), request));
  ASSAY_TRY_ASSIGN(EvaluateReport report, judge_once(context, archive, std::move(request), policy, options.reuse));
  report.violated_constraints = std::move(violated);
  return report;
}

namespace {

// What is known of how often a candidate is wrong, if nothing was.
std::optional<base::Json> failure_verdict(const EvaluateReport& report) {
  const std::vector<std::int64_t> clean = task::clean_trials(report.evaluation, report.request.workloads.size());
  if (!task::is_correct(report.evaluation.outcome) || clean.empty()) {
    return std::nullopt;
  }
  const stats::StrataBound bound = stats::bound_clean_trials(clean);
  return base::Json{{"failures", 0},
                    {"trials", bound.trials},
                    {"confidence", stats::kVerdictConfidence},
                    {"failure_rate_below", bound.in_use},
                    {"weakest",
                     {{"workload", report.request.workloads[bound.weakest].uuid},
                      {"trials", clean[bound.weakest]},
                      {"failure_rate_below", bound.of_weakest}}},
                    {"difficult_inputs", report.evaluation.stress_trials},
                    {"replayed_inputs", report.evaluation.replayed},
                    {"kept_inputs", report.request.kept_inputs}};
}

}  // namespace

base::Json encode(const EvaluateReport& report) {
  base::Json json;
  json["origin"] = to_string(report.origin);
  if (!report.same_source_as.empty()) {
    json["same_source_as"] = report.same_source_as;
  }
  json["candidate"] = report.request.candidate.name;
  json["incumbent"] = report.request.incumbent ? base::Json(report.request.incumbent->name) : base::Json(nullptr);
  json["correct"] = task::is_correct(report.evaluation.outcome);
  if (report.evaluation.comparison) {
    const task::Comparison& comparison = *report.evaluation.comparison;
    json["speedup"] = {{"estimate", std::exp(-comparison.log_ratio)},
                       {"lower", std::exp(-comparison.log_ratio_upper)},
                       {"upper", std::exp(-comparison.log_ratio_lower)}};
  }
  if (report.reported) {
    const promote::ReportedInterval& reported = *report.reported;
    json["reported_interval"] = {{"speedup", std::exp(-reported.log_ratio)},
                                 {"lower", std::exp(-reported.upper)},
                                 {"upper", std::exp(-reported.lower)},
                                 {"level", 1 - reported.alpha},
                                 {"sessions", reported.sessions},
                                 {"pairs", reported.pairs}};
  }
  if (const auto verdict = failure_verdict(report)) {
    json["verdict"] = *verdict;
  }
  if (report.missed_replays > 0) {
    json["missed_replays"] = report.missed_replays;
  }
  json["compiler_errors"] = report.compiler_errors;
  json["violated_constraints"] = report.violated_constraints;
  if (!report.elsewhere.empty()) {
    json["elsewhere"] = report.elsewhere;
  }
  json["same_builds"] = base::Json::array();
  for (const archive::SameBuild& same : report.same_builds) {
    json["same_builds"].push_back(
        {{"digest", same.candidate.hex()}, {"name", same.name}, {"level", archive::to_string(same.level)}});
  }
  json["decision"] = report.decision ? promote::encode(*report.decision) : base::Json(nullptr);
  json["archive"] = report.archive.string();
  json["evaluation"] = task::encode(report.evaluation);
  return json;
}

std::vector<std::string> first_errors(std::string_view log, std::size_t limit) {
  std::vector<std::string> lines;
  for (std::string& line : base::split(log, '\n')) {
    lines.push_back(base::printable(line));
  }
  const auto is_error = [](const std::string& line) {
    return line.find("error") != std::string::npos || line.find("undefined reference") != std::string::npos;
  };
  auto first = std::find_if(lines.begin(), lines.end(), is_error);
  if (first == lines.end()) {
    first = lines.begin();
  }
  std::vector<std::string> result;
  for (; first != lines.end() && result.size() < limit; ++first) {
    if (!base::trim(*first).empty()) {
      result.push_back(*first);
    }
  }
  return result;
}

}  // namespace assay::service
