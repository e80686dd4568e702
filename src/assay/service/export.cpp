#include <assay/service/export.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/service/campaign.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

// What is exported and the evaluation that speaks for it.
struct Subject {
  task::Solution solution;
  std::string evaluation;
};

// Names become file names, and what an author wrote must not choose folders.
std::string file_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
    result += plain ? c : '_';
  }
  if (result.empty() || result.front() == '.') {
    result.insert(0, "_");
  }
  return result;
}

base::Result<Subject> candidate_subject(const archive::Archive& archive, const archive::StoredCandidate& candidate) {
  ASSAY_TRY_ASSIGN(const auto evaluations, archive.evaluations("", candidate.identity.content.hex()));
  const auto sweep = std::find_if(evaluations.rbegin(), evaluations.rend(),
                                  [](const archive::EvaluationSummary& e) { return e.stage == task::Stage::sweep; });
  Subject subject{candidate.solution, {}};
  if (sweep != evaluations.rend()) {
    subject.evaluation = sweep->id;
  } else if (!evaluations.empty()) {
    subject.evaluation = evaluations.back().id;
  } else {
    return base::input_error("export.not_judged", fmt::format("candidate {} was never judged itself; evaluate it first",
                                                              candidate.identity.content.brief()));
  }
  return subject;
}

base::Result<Subject> campaign_subject(const archive::Archive& archive, const CampaignStatus& status) {
  const control::CampaignState& state = status.state;
  if (!state.incumbent) {
    if (state.baseline_evaluation.empty()) {
      return base::input_error(
          "export.not_judged",
          fmt::format("campaign {} has judged nothing yet; continue it with `assay campaign resume {}`",
                      status.configuration.name, status.configuration.name));
    }
    return Subject{status.configuration.baseline, state.baseline_evaluation};
  }
  for (const control::CandidateState& candidate : state.candidates) {
    if (candidate.number == *state.incumbent) {
      ASSAY_TRY_ASSIGN(const auto stored, archive.candidate(candidate.identity.content.hex()));
      if (!stored) {
        break;
      }
      return Subject{stored->solution, state.confirmation_evaluation.empty() ? candidate.sweep_evaluation
                                                                             : state.confirmation_evaluation};
    }
  }
  return base::environment_error("archive.damaged",
                                 fmt::format("the incumbent of campaign {} is not in the archive: run "
                                             "`assay archive verify`",
                                             status.configuration.name));
}

base::Result<Subject> find_subject(const Context& context, const archive::Archive& archive, const std::string& what) {
  ASSAY_TRY_ASSIGN(const auto campaign, archive.campaign(what));
  if (campaign) {
    ASSAY_TRY_ASSIGN(const CampaignStatus status, campaign_status(context, what));
    return campaign_subject(archive, status);
  }
  const auto candidate = archive.candidate(what);
  if (candidate && *candidate) {
    return candidate_subject(archive, **candidate);
  }
  if (!candidate && candidate.error().code == "archive.ambiguous") {
    return tl::unexpected(candidate.error());
  }
  return base::input_error(
      "export.unknown", fmt::format("\"{}\" is neither a campaign nor the digest of a candidate in {}; `assay campaign "
                                    "status` and `assay candidates` list what there is",
                                    base::printable(what), archive.root().string()));
}

task::TraceStatus status_of(task::Outcome outcome) {
  switch (outcome) {
    case task::Outcome::not_built:
      return task::TraceStatus::compile_error;
    case task::Outcome::timed_out:
      return task::TraceStatus::timeout;
    case task::Outcome::incorrect:
      return task::TraceStatus::incorrect_numerical;
    case task::Outcome::measured:
    case task::Outcome::not_better:
    case task::Outcome::indistinguishable:
    case task::Outcome::better:
      return task::TraceStatus::passed;
    case task::Outcome::duplicate:
    case task::Outcome::built:
    case task::Outcome::crashed:
    case task::Outcome::suspect:
    case task::Outcome::protocol_violation:
      return task::TraceStatus::runtime_error;
  }
  return task::TraceStatus::runtime_error;
}

// The schema's errors, and the words that say what they are. An error that nobody measured is NaN, which readers take
// for "not within any tolerance", unless there is none by nature.
struct StatedErrors {
  double absolute = std::numeric_limits<double>::quiet_NaN();
  double relative = std::numeric_limits<double>::quiet_NaN();
  std::string note;
};

StatedErrors errors_of_correct(const task::EvaluationRequest& request, const task::WorkloadTiming& timing) {
  const std::string within =
      "every checked output was within the operator's tolerance of a double-precision reference; ";
  if (timing.largest_absolute_error && timing.largest_relative_error) {
    return {*timing.largest_absolute_error, *timing.largest_relative_error,
            within + "the errors are the largest of the first checked call of each process pair"};
  }
  const bool floating = std::any_of(request.definition.outputs.begin(), request.definition.outputs.end(),
                                    [](const auto& output) { return tensor::is_floating(output.second.dtype); });
  if (!floating) {
    return {0, 0, within + "no output is floating, so that there is no error but none"};
  }
  StatedErrors unknown;
  unknown.note = within + "the largest error was not recorded";
  return unknown;
}

// Of what was found wrong, the worst element of each output is known.
StatedErrors errors_of_incorrect(const task::Evaluation& evaluation) {
  StatedErrors errors;
  errors.note = "the errors are those of the worst elements that were found";
  for (const task::Finding& finding : evaluation.findings) {
    if (!finding.expected || !finding.got) {
      continue;
    }
    const double difference = std::fabs(*finding.got - *finding.expected);
    const double absolute = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    const double relative = std::isinf(absolute) ? absolute : absolute / (std::fabs(*finding.expected) + 1e-8);
    errors.absolute = std::fmax(errors.absolute, absolute);
    errors.relative = std::fmax(errors.relative, relative);
  }
  if (std::isnan(errors.absolute)) {
    errors.note = "what was found is no wrong number, so that there is no error to give";
  }
  return errors;
}

task::TraceCorrectness correctness_of(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                                      const StatedErrors& errors) {
  base::Json extra;
  extra["assay_evaluation"] = evaluation.id;
  extra["checked_calls"] = evaluation.checked_calls;
  extra["note"] = errors.note;
  extra["reference_latency_of"] = request.incumbent ? base::Json(request.incumbent->name) : base::Json(nullptr);
  return {errors.relative, errors.absolute, base::dump_compact(extra)};
}

// A failure belongs to the workloads in which it was seen; if none is named, to all.
bool concerns(const task::Evaluation& evaluation, std::size_t workload) {
  const bool named = std::any_of(evaluation.findings.begin(), evaluation.findings.end(),
                                 [](const task::Finding& finding) { return finding.workload.has_value(); });
  return !named || std::any_of(evaluation.findings.begin(), evaluation.findings.end(), [&](const task::Finding& f) {
    return f.workload && static_cast<std::size_t>(*f.workload) == workload;
  });
}

std::vector<task::Trace> traces_of(const task::EvaluationRequest& request, const task::Evaluation& evaluation,
                                   const std::string& solution) {
  const task::TraceStatus status = status_of(evaluation.outcome);
  const bool correct = task::is_correct(evaluation.outcome);
  const std::string* cpu = task::find(evaluation.environment, "cpu");
  std::vector<task::Trace> traces;
  for (std::size_t i = 0; i < request.workloads.size(); ++i) {
    if (!correct && !concerns(evaluation, i)) {
      continue;
    }
    task::TraceEvaluation traced;
    traced.status = status;
    traced.hardware = cpu != nullptr && !cpu->empty() ? *cpu : evaluation.device;
    traced.libraries = evaluation.environment;
    // Their schema has no place for it, and a time means nothing without.
    const base::Timing used = task::timing_of(evaluation);
    traced.libraries.emplace_back("timing_method", base::to_string(used.method));
    traced.libraries.emplace_back("timing_cache", base::to_string(used.cache));
    traced.timestamp = evaluation.started;
    traced.log = evaluation.cause;
    if (status == task::TraceStatus::incorrect_numerical) {
      traced.correctness = correctness_of(request, evaluation, errors_of_incorrect(evaluation));
    }
    if (correct) {
      const auto timing =
          std::find_if(evaluation.timings.begin(), evaluation.timings.end(),
                       [&](const task::WorkloadTiming& t) { return t.uuid == request.workloads[i].uuid; });
      if (timing == evaluation.timings.end() || !timing->candidate_ns) {
        continue;
      }
      traced.correctness = correctness_of(request, evaluation, errors_of_correct(request, *timing));
      // Zero is the schema's "not measured".
      const double reference = timing->incumbent_ns.value_or(0);
      traced.performance =
          task::TracePerformance{*timing->candidate_ns / kNanosecondsPerMillisecond,
                                 reference / kNanosecondsPerMillisecond, reference / *timing->candidate_ns};
    }
    traces.push_back({request.definition.name, request.workloads[i], solution, std::move(traced)});
  }
  return traces;
}

std::string lines(const std::vector<task::Trace>& traces) {
  std::string text;
  for (const task::Trace& trace : traces) {
    text += base::dump_compact(task::encode(trace)) + "\n";
  }
  return text;
}

base::Result<void> write(const os::Path& folder, const os::Path& file, const std::string& text, ExportReport& report) {
  ASSAY_TRY(os::create_directories((folder / file).parent_path()));
  ASSAY_TRY(os::write_file_atomic(folder / file, text));
  report.files.push_back(file);
  return {};
}

// What the schema's workloads cannot say: without it other calls would be timed.
std::string lengths_of(const task::EvaluationRequest& request) {
  std::string text;
  for (const task::Workload& workload : request.workloads) {
    if (!workload.lengths.empty()) {
      text += base::dump_compact({{"uuid", workload.uuid}, {"lengths", workload.lengths}}) + "\n";
    }
  }
  return text;
}

}  // namespace

base::Result<ExportReport> export_solution(const Context& context, const std::string& campaign_or_candidate,
                                           const os::Path& folder) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(Subject subject, find_subject(context, archive, campaign_or_candidate));
  ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(subject.evaluation));
  if (!evaluation) {
    return base::environment_error("archive.damaged",
                                   fmt::format("evaluation {} is not in the archive: run `assay archive "
                                               "verify`",
                                               subject.evaluation));
  }
  ASSAY_TRY_ASSIGN(const task::EvaluationRequest request, archive.request(evaluation->id));
  // A dataset finds a solution by its file's name, so the two must agree.
  subject.solution.name = file_name(subject.solution.name);
  const std::vector<task::Trace> traces = traces_of(request, *evaluation, subject.solution.name);
  std::vector<task::Trace> workloads;
  for (const task::Workload& workload : request.workloads) {
    workloads.push_back({request.definition.name, workload, std::nullopt, std::nullopt});
  }

  ExportReport report;
  report.solution = subject.solution.name;
  report.definition = request.definition.name;
  report.traces = traces.size();
  const std::string type = file_name(request.definition.op_type);
  const std::string definition = file_name(request.definition.name);
  const std::string author = file_name(subject.solution.author);
  ASSAY_TRY(write(folder, os::Path("definitions") / type / (definition + ".json"),
                  base::dump_pretty(task::encode(request.definition)) + "\n", report));
  ASSAY_TRY(write(folder, os::Path("workloads") / type / (definition + ".jsonl"), lines(workloads), report));
  if (const std::string lengths = lengths_of(request); !lengths.empty()) {
    ASSAY_TRY(write(folder, os::Path("lengths") / type / (definition + ".jsonl"), lengths, report));
  }
  ASSAY_TRY(write(folder, os::Path("solutions") / author / type / definition / (subject.solution.name + ".json"),
                  base::dump_pretty(task::encode(subject.solution)) + "\n", report));
  ASSAY_TRY(write(folder, os::Path("traces") / author / type / (definition + ".jsonl"), lines(traces), report));
  std::sort(report.files.begin(), report.files.end());
  return report;
}

base::Json encode(const ExportReport& report) {
  base::Json files = base::Json::array();
  for (const os::Path& file : report.files) {
    files.push_back(file.string());
  }
  return {{"solution", report.solution},
          {"definition", report.definition},
          {"traces", report.traces},
          {"files", std::move(files)}};
}

}  // namespace assay::service
