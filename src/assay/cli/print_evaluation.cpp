#include <assay/cli/print_evaluation.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <assay/base/text.hpp>
#include <assay/cli/print_comparison.hpp>
#include <assay/cli/print_official.hpp>
#include <assay/report/model.hpp>
#include <assay/stats/failure_words.hpp>

namespace assay::cli {
namespace {

using report::Colour;
using report::Tone;

constexpr std::size_t kMostFindings = 8;
constexpr std::size_t kUuidDigits = 8;

Tone tone_of(task::Outcome outcome) {
  if (outcome == task::Outcome::better) {
    return Tone::good;
  }
  return task::is_correct(outcome) ? Tone::strong : Tone::bad;
}

std::string axes_text(const task::Workload& workload) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : workload.axes) {
    parts.push_back(fmt::format("{} {}", name, value));
  }
  return base::join(parts, ", ");
}

std::string workload_text(const service::EvaluateReport& report, std::int32_t index) {
  const auto& workloads = report.request.workloads;
  if (index < 0 || static_cast<std::size_t>(index) >= workloads.size()) {
    return fmt::format("workload {}", index);
  }
  const task::Workload& workload = workloads[static_cast<std::size_t>(index)];
  return fmt::format("workload {} ({})", workload.uuid.substr(0, kUuidDigits), axes_text(workload));
}

// "q[0, 3, 17]", or "q"; empty if no tensor is meant.
std::string element_text(const task::Finding& finding) {
  if (!finding.tensor) {
    return {};
  }
  std::string text = base::printable(*finding.tensor);
  if (finding.index) {
    std::vector<std::string> numbers;
    for (const std::int64_t number : *finding.index) {
      numbers.push_back(std::to_string(number));
    }
    text += "[" + base::join(numbers, ", ") + "]";
  }
  return text;
}

// Where exactly, and what was there: "q[0, 3, 17] of workload 901e5104 (batch_size 1): expected 1.25, got 0". What the
// message says already is left out.
std::string place_text(const service::EvaluateReport& report, const task::Finding& finding) {
  const std::string element = element_text(finding);
  const bool told = !element.empty() && finding.message.find(element) != std::string::npos;
  if (told) {
    return finding.workload ? "in " + workload_text(report, *finding.workload) : std::string();
  }
  std::string text = element.empty() ? std::string() : "at " + element;
  if (finding.workload) {
    text += (text.empty() ? "in " : " of ") + workload_text(report, *finding.workload);
  }
  std::vector<std::string> values;
  if (finding.expected) {
    values.push_back(fmt::format("expected {:.9g}", *finding.expected));
  }
  if (finding.got) {
    values.push_back(fmt::format("got {:.9g}", *finding.got));
  }
  if (!values.empty()) {
    text += (text.empty() ? "" : ": ") + base::join(values, ", ");
  }
  return text;
}

// The map of wrong elements in a frame: rows downwards, the last axis to the right.
std::string picture_text(const task::Finding& finding) {
  std::string text;
  for (const std::string& line : finding.picture) {
    text += "    |" + base::printable(line) + "|\n";
  }
  return text.empty() ? text
                      : fmt::format("    {}, rows by the last axis (. : + # for shares of wrong elements):\n",
                                    base::printable(finding.tensor.value_or("output"))) +
                            text;
}

std::string print_findings(const service::EvaluateReport& report, Colour colour) {
  std::string text;
  std::size_t shown = 0;
  for (const task::Finding& finding : report.evaluation.findings) {
    if (shown == kMostFindings) {
      text += fmt::format("  and {} more: assay show {} --json\n", report.evaluation.findings.size() - shown,
                          report.evaluation.id);
      break;
    }
    ++shown;
    // The cause is usually the first finding in a sentence; once is enough.
    if (shown == 1 && !finding.message.empty() && report.evaluation.cause.find(finding.message) != std::string::npos) {
      text += picture_text(finding);
      continue;
    }
    text += fmt::format("  {}{}: {}\n", report::tinted(finding.kind, Tone::strong, colour),
                        finding.side == task::Side::incumbent ? " (incumbent)" : "", base::printable(finding.message));
    const std::string place = place_text(report, finding);
    if (!place.empty()) {
      text += "    " + place + "\n";
    }
    text += picture_text(finding);
  }
  return text;
}

std::string microseconds(const std::optional<double>& nanoseconds) {
  return nanoseconds ? fmt::format("{:.2f}", *nanoseconds / 1000) : std::string("-");
}

std::string print_workloads(const service::EvaluateReport& report, Colour colour) {
  const bool compared = report.request.incumbent.has_value();
  std::vector<report::Table::Column> columns = {{"workload"}, {"axes"}, {"candidate µs", report::Align::right}};
  if (compared) {
    columns.push_back({"incumbent µs", report::Align::right});
    columns.push_back({"speedup", report::Align::right});
    columns.push_back({"interval", report::Align::right});
  }
  report::Table table(columns);
  for (const task::WorkloadTiming& timing : report.evaluation.timings) {
    std::vector<std::string> axes;
    for (const auto& [name, value] : timing.axes) {
      axes.push_back(fmt::format("{} {}", name, value));
    }
    std::vector<report::Table::Cell> cells = {timing.uuid.substr(0, kUuidDigits), base::join(axes, ", "),
                                              microseconds(timing.candidate_ns)};
    if (compared) {
      cells.emplace_back(microseconds(timing.incumbent_ns));
      cells.emplace_back(timing.log_ratio ? fmt::format("{:.2f}x", std::exp(-*timing.log_ratio)) : std::string("-"));
      cells.emplace_back(
          timing.log_ratio_lower && timing.log_ratio_upper
              ? fmt::format("{:.2f}–{:.2f}", std::exp(-*timing.log_ratio_upper), std::exp(-*timing.log_ratio_lower))
              : std::string("-"));
    }
    table.add(std::move(cells));
  }
  return table.render(colour, 2);
}

std::string print_decision(const promote::Decision& decision) {
  std::string text = fmt::format("  mean latency ratio {:.3f}, contest score {:.3f}, {} workloads\n",
                                 decision.mean_latency_ratio, decision.contest_score, decision.workloads);
  for (const std::string& reason : decision.reasons) {
    text += "  " + base::printable(reason) + "\n";
  }
  return text;
}

// Whoever looks for an error in a log must know that it may be in what is not there.
std::string cut_words(const task::BuildRecord& build) {
  return build.log_bytes_cut == 0
             ? std::string()
             : fmt::format(" (its end is cut: {} are left out)", base::human_bytes(build.log_bytes_cut));
}

std::string advice_on(const service::EvaluateReport& report) {
  const task::Evaluation& evaluation = report.evaluation;
  switch (evaluation.outcome) {
    case task::Outcome::not_built:
      return evaluation.candidate_build.log_file.empty()
                 ? fmt::format("assay show {}", evaluation.id)
                 : fmt::format("assay show {} --log {}{}", evaluation.id, evaluation.candidate_build.log_file,
                               cut_words(evaluation.candidate_build));
    case task::Outcome::better:
      return evaluation.stage == task::Stage::sweep
                 ? fmt::format("assay show {} --source, and put it forward in a campaign (--also)",
                               evaluation.candidate.content.brief())
                 : fmt::format("all workloads: assay evaluate {} --workloads all",
                               evaluation.candidate.content.brief());
    case task::Outcome::indistinguishable:
      return fmt::format("a surer answer takes longer: assay evaluate {} --policy standard",
                         evaluation.candidate.content.brief());
    case task::Outcome::measured:
      return fmt::format("compare it: assay evaluate {} --against OTHER", evaluation.candidate.content.brief());
    case task::Outcome::not_better:
      return fmt::format("assay show {} for everything that was recorded", evaluation.id);
    case task::Outcome::duplicate:
      return report.request.incumbent && !evaluation.id.empty()
                 ? fmt::format(
                       "what two of one machine code show of nothing (A/A): assay evaluate {} --against {} --again",
                       evaluation.candidate.content.brief(), task::identify(*report.request.incumbent).content.brief())
                 : fmt::format("mend it and evaluate again; all that was recorded: assay show {}", evaluation.id);
    case task::Outcome::built:
    case task::Outcome::crashed:
    case task::Outcome::timed_out:
    case task::Outcome::incorrect:
    case task::Outcome::suspect:
    case task::Outcome::protocol_violation:
      return fmt::format("mend it and evaluate again; all that was recorded: assay show {}", evaluation.id);
  }
  return {};
}

// "Correct" is a bound: how often it may still be wrong, by the calls of its own that were checked. One stratum a workload,
// all of one weight, as the mean over workloads has it.
std::string verdict_text(const service::EvaluateReport& report) {
  const task::Evaluation& evaluation = report.evaluation;
  const std::vector<std::int64_t> clean = task::clean_trials(evaluation, report.request.workloads.size());
  if (clean.empty() || evaluation.id.empty()) {  // Nothing was run.
    return {};
  }
  const bool counted = std::any_of(clean.begin(), clean.end(), [](std::int64_t trials) { return trials > 0; });
  if (!counted && evaluation.checked_calls > 0) {  // An evaluation of before.
    return fmt::format("  0 failures in {} checked calls, which were not counted by workload: no bound is known\n",
                       evaluation.checked_calls);
  }
  const std::string words = stats::failure_words(
      clean, [&](std::size_t workload) { return workload_text(report, static_cast<std::int32_t>(workload)); });
  std::string text = "  " + words + "\n";
  std::vector<std::string> besides;
  if (evaluation.stress_trials > 0) {
    besides.push_back(fmt::format("{} on difficult inputs", evaluation.stress_trials));
  }
  if (report.request.kept_inputs > 0) {
    besides.push_back(fmt::format("{} of {} kept inputs that caught candidates before", evaluation.replayed,
                                  report.request.kept_inputs));
  }
  if (evaluation.trials) {
    besides.push_back(fmt::format("trials of {:.1f} s {}", evaluation.trials->seconds,
                                  report.request.trials_turn == task::TrialsTurn::after_gain
                                      ? "after the gain was seen"
                                      : "before anything was timed"));
  }
  if (!besides.empty()) {
    text += "  besides: " + base::join(besides, "; ") + "\n";
  }
  if (evaluation.trials && !report.request.trials_on.empty()) {
    text += "  most trials where earlier candidates failed, at least a fifth spread evenly\n";
  }
  return text;
}

// "; tier device-only", or of both sides where they differ; empty where there are no tiers.
std::string tiers_text(const task::Evaluation& evaluation) {
  const std::optional<task::Tier>& tier = evaluation.candidate_build.tier;
  if (!tier) {
    return {};
  }
  std::string text = fmt::format("; tier {}", task::to_string(*tier));
  if (evaluation.incumbent_build && evaluation.incumbent_build->tier && evaluation.incumbent_build->tier != tier) {
    text += fmt::format(" (the incumbent: {})", task::to_string(*evaluation.incumbent_build->tier));
  }
  return text;
}

// Who was built to the same, one line each.
std::string same_builds_text(const service::EvaluateReport& report) {
  std::string text;
  for (const archive::SameBuild& same : report.same_builds) {
    const std::string_view words = same.level == archive::CodeLevel::machine_code ? "the same machine code as"
                                   : same.level == archive::CodeLevel::sass
                                       ? "the same code on the GPU, launched by other code, as"
                                       : "the same PTX, and other machine code, as";
    text += fmt::format("  note: {} {} ({})\n", words, base::printable(same.name), same.candidate.brief());
  }
  return text;
}

std::string origin_sentence(const service::EvaluateReport& report) {
  switch (report.origin) {
    case service::Origin::measured:
      return {};
    case service::Origin::stored:
      return fmt::format(
          "From the archive: this candidate, byte for byte, was judged {} under the same conditions; "
          "nothing was built (--again judges it anew).\n",
          report.evaluation.started);
    case service::Origin::stored_same_source:
      return fmt::format(
          "From the archive: this is {} but for comments and blank space, which was judged {} under the "
          "same conditions; nothing was built (--again judges it anew).\n",
          base::printable(report.same_source_as), report.evaluation.started);
    case service::Origin::incumbent_same_source:
      return "Nothing was built or run (--again judges it all the same).\n";
  }
  return {};
}

}  // namespace

std::string print_evaluation(const service::EvaluateReport& report, Colour colour) {
  const task::Evaluation& evaluation = report.evaluation;
  std::string text = origin_sentence(report);
  text += fmt::format("{} ({}) on {}: {}\n", base::printable(report.request.candidate.name),
                      evaluation.candidate.content.brief(), evaluation.device,
                      report::tinted(report::words(evaluation.outcome), tone_of(evaluation.outcome), colour));
  // Of one that was timed alone the cause is the bound, which stands below with the rest.
  if (!evaluation.cause.empty() && evaluation.outcome != task::Outcome::measured) {
    text += "  " + base::printable(evaluation.cause) + "\n";
  }
  text += print_findings(report, colour);
  if (!report.compiler_errors.empty()) {
    text += "\n";
    for (const std::string& line : report.compiler_errors) {
      text += "  | " + line + "\n";
    }
  }
  if (!evaluation.timings.empty()) {
    text += "\n" + print_workloads(report, colour);
  }
  text += print_comparison(report, tone_of(evaluation.outcome), colour);
  if (report.decision) {
    text += print_decision(*report.decision);
  }
  if (task::is_correct(evaluation.outcome)) {
    text += verdict_text(report);
    if (evaluation.checker_doubts.value_or(0) > 0) {
      text +=
          fmt::format("  {} of them the GPU did not find surely right, and the CPU did\n", *evaluation.checker_doubts);
    }
    const base::Timing timing = task::timing_of(evaluation);
    text += fmt::format("  timed by {}, caches {}; the timer's own floor is {}{}\n", base::to_string(timing.method),
                        base::to_string(timing.cache),
                        base::human(std::chrono::nanoseconds(std::llround(evaluation.timer_floor_ns))),
                        tiers_text(evaluation));
  }
  if (evaluation.official) {
    text += print_official(*evaluation.official, report, colour);
  }
  text += same_builds_text(report);
  if (report.missed_replays > 0) {
    text += fmt::format(
        "  note: {} that caught other candidates since {} not tried on it (--again tries {})\n",
        report.missed_replays == 1 ? std::string("an input") : fmt::format("{} inputs", report.missed_replays),
        report.missed_replays == 1 ? "was" : "were", report.missed_replays == 1 ? "it" : "them");
  }
  if (!report.elsewhere.empty()) {
    text += "  note: " + base::printable(report.elsewhere) + "\n";
  }
  for (const std::string& violated : report.violated_constraints) {
    text += "  note: " + base::printable(violated) + "\n";
  }
  for (const std::string& retry : evaluation.retries) {
    text += "  retried: " + base::printable(retry) + "\n";
  }
  text += evaluation.id.empty() ? std::string("\n")
                                : fmt::format("\narchived as {} in {}\n", evaluation.id, report.archive.string());
  return text + "next: " + advice_on(report) + "\n";
}

}  // namespace assay::cli
