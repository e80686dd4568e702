#include <assay/cli/print_lists.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <assay/base/text.hpp>
#include <assay/cli/print_evaluation.hpp>

namespace assay::cli {
namespace {

using report::Align;
using report::Colour;
using report::Table;
using report::Tone;

constexpr std::size_t kDigestDigits = 12;

Tone tone_of(const std::string& outcome) {
  const auto parsed = task::parse_outcome(outcome);
  if (!parsed || *parsed == task::Outcome::duplicate) {
    return Tone::faint;
  }
  return *parsed == task::Outcome::better ? Tone::good : task::is_correct(*parsed) ? Tone::plain : Tone::bad;
}

std::string outcome_words(const std::string& outcome) {
  std::string words = outcome;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string ratio(const std::optional<double>& speedup) {
  return speedup ? fmt::format("{:.2f}x", *speedup) : std::string();
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// What is the same, and what follows.
std::string_view level_words(service::SameLevel level) {
  switch (level) {
    case service::SameLevel::normalised_source:
      return "comments and blank space aside: a difference between the two is noise";
    case service::SameLevel::object:
      return "the same object, byte for byte: a difference between the two is noise";
    case service::SameLevel::machine_code:
      return "the same machine code: a difference between the two is noise";
    case service::SameLevel::sass:
      return "the same code on the GPU, launched by other code";
    case service::SameLevel::ptx:
      break;
  }
  return "the same PTX, and other machine code";
}

std::string print_candidate(const service::Shown& shown, Colour colour) {
  const archive::StoredCandidate& candidate = *shown.candidate;
  const task::Solution& solution = candidate.solution;
  std::string text = fmt::format("{} by {}, for {}\n", base::printable(solution.name), base::printable(solution.author),
                                 base::printable(solution.definition));
  text += fmt::format("  digest       {}\n  same source  {} (comments and blank space aside)\n  first seen   {}\n",
                      candidate.identity.content.hex(), candidate.identity.normalised.hex(), candidate.first_seen);
  text += fmt::format("  entry point  {}\n", base::printable(solution.spec.entry_point));
  if (solution.description) {
    text += fmt::format("  description  {}\n", base::printable(*solution.description));
  }
  for (const auto& [name, value] : solution.parameters) {
    text += fmt::format("  parameter    {} = {}\n", base::printable(name), value);
  }
  for (const task::SourceFile& source : solution.sources) {
    text +=
        fmt::format("  source       {} ({})\n", base::printable(source.path), base::human_bytes(source.content.size()));
  }
  for (const service::SameCode& same : shown.same) {
    text += fmt::format("  same code    {} {} ({})\n", same.candidate.hex().substr(0, kDigestDigits),
                        base::printable(same.name), level_words(same.level));
  }
  Table table({{"evaluation", Align::left, 80}, {"stage"}, {"campaign"}, {"device"}, {"outcome"}, {"cause"}});
  for (const archive::EvaluationSummary& summary : shown.evaluations) {
    const std::string outcome(task::to_string(summary.outcome));
    table.add({summary.id,
               std::string(task::to_string(summary.stage)),
               summary.campaign,
               summary.device,
               {outcome_words(outcome), tone_of(outcome)},
               summary.cause});
  }
  text += shown.evaluations.empty() ? std::string("\nnever judged itself\n") : "\n" + table.render(colour, 2);
  return text;
}

std::string print_build(const std::string& side, const task::BuildRecord& build) {
  std::string text = fmt::format("  {:<12} {}{}", side + " build", build.built ? "built" : "not built",
                                 build.toolchain.empty() ? "" : " by " + base::printable(build.toolchain));
  text += build.tier ? fmt::format(", {}", task::to_string(*build.tier)) : "";
  text += build.from_cache ? ", from the cache\n" : fmt::format(", {:.2f} s\n", build.seconds);
  if (!build.command.empty()) {
    text += "    " + base::printable(base::join(build.command, " ")) + "\n";
  }
  return text;
}

// The device around each process pair, where it could tell.
std::string readings_text(const task::Evaluation& evaluation) {
  if (evaluation.device_readings.empty() && !evaluation.canary) {
    return {};
  }
  std::string text;
  if (!evaluation.device_readings.empty()) {
    text += "\n  pair           SM MHz  memory MHz  degrees  watts  processes  held down by\n";
  }
  for (const task::PairReadings& pair : evaluation.device_readings) {
    for (const auto& [when, one] : {std::pair("before", &pair.before), std::pair("after", &pair.after)}) {
      text += fmt::format("  {:>4}  {:<6} {:>8} {:>11} {:>8} {:>6.0f} {:>10}  {}\n", pair.pair, when, one->sm_mhz,
                          one->memory_mhz, one->temperature_celsius, one->power_watts, one->processes,
                          one->throttled.empty() ? "-" : base::printable(one->throttled));
    }
  }
  if (evaluation.canary) {
    text += fmt::format("  the judge's own copy took {:.1f} us before the session, {:.1f} us after it\n",
                        evaluation.canary->before_ns / 1000, evaluation.canary->after_ns / 1000);
  }
  return text;
}

}  // namespace

std::string print_doctor(const service::DoctorReport& report, Colour colour) {
  Table table({{"capability", Align::left, 30}, {"state"}, {"detail", Align::left, 70}, {"remedy", Align::left, 100}});
  for (const service::Capability& capability : report.capabilities) {
    const Tone tone = capability.state == service::Capability::State::available ? Tone::good
                      : capability.state == service::Capability::State::missing ? Tone::bad
                                                                                : Tone::faint;
    table.add({capability.name,
               {std::string(service::to_string(capability.state)), tone},
               capability.detail,
               capability.remedy});
  }
  return table.render(colour) + (report.healthy() ? "\nEverything that evaluations on the CPU need is here.\n"
                                                  : "\nSomething is missing without which nothing can be evaluated.\n");
}

std::string print_validation(const service::Validation& validation, const std::string& file) {
  std::string text;
  const auto add = [&](std::string_view kind, const task::Problem& problem) {
    text += fmt::format("{}: {}{}: {}\n", file, kind,
                        problem.pointer.empty() ? "(whole document)" : base::printable(problem.pointer),
                        base::printable(problem.message));
  };
  for (const task::Problem& problem : validation.problems) {
    add("", problem);
  }
  for (const task::Problem& note : validation.notes) {
    add("note: ", note);
  }
  const std::string dialect = validation.dialect.reason.empty()
                                  ? std::string()
                                  : fmt::format(" (read as {}: {})", task::to_string(validation.dialect.dialect),
                                                base::printable(validation.dialect.reason));
  if (validation.accepted()) {
    const std::string documents = validation.documents == 1 ? "" : fmt::format(", {} documents", validation.documents);
    return text + fmt::format("{}: accepted{}{}\n", file, documents, dialect);
  }
  return text + fmt::format("{}: refused, {}{}\n", file, plural(validation.problems.size(), "problem"), dialect);
}

std::string print_candidates(const std::vector<service::CandidateLine>& candidates, Colour colour) {
  if (candidates.empty()) {
    return "no candidates yet\n";
  }
  const bool numbered = candidates.front().number.has_value();
  std::vector<Table::Column> columns;
  if (numbered) {
    columns = {{"no.", Align::right}, {"round", Align::right}};
  }
  columns.insert(
      columns.end(),
      {{"digest"}, {"name", Align::left, 44}, {"outcome"}, {"speedup", Align::right}, {"cause", Align::left, 90}});
  Table table(columns);
  for (const service::CandidateLine& line : candidates) {
    std::vector<Table::Cell> cells;
    if (numbered) {
      cells = {std::to_string(line.number.value_or(0)), std::to_string(line.round.value_or(0))};
    }
    cells.emplace_back(line.digest.substr(0, kDigestDigits));
    cells.emplace_back(line.name);
    cells.emplace_back(outcome_words(line.outcome) + (line.promoted ? ", promoted" : ""),
                       line.promoted ? Tone::good : tone_of(line.outcome));
    cells.emplace_back(ratio(line.speedup));
    cells.emplace_back(line.cause);
    table.add(std::move(cells));
  }
  return table.render(colour);
}

std::string print_shown(const service::Shown& shown, Colour colour) {
  if (shown.candidate) {
    return print_candidate(shown, colour);
  }
  if (!shown.evaluation) {
    return {};
  }
  const task::Evaluation& evaluation = shown.evaluation->evaluation;
  service::EvaluateReport report = *shown.evaluation;
  report.origin = service::Origin::measured;  // That it is in the archive goes without saying here.
  std::string text = print_evaluation(report, colour);
  text +=
      fmt::format("\nevaluation {}\n  stage        {}\n  started      {}, {:.1f} s\n  seed         {}\n", evaluation.id,
                  task::to_string(evaluation.stage), evaluation.started, evaluation.wall_seconds, evaluation.seed);
  text += print_build("candidate", evaluation.candidate_build);
  if (evaluation.incumbent_build) {
    text += print_build("incumbent", *evaluation.incumbent_build);
  }
  for (const auto& [name, value] : evaluation.environment) {
    text += fmt::format("  {:<12} {}\n", base::printable(name), base::printable(value));
  }
  text += readings_text(evaluation);
  return text + fmt::format("  files        {} (--log NAME)\n", base::join(shown.files, ", "));
}

std::string print_sources(const service::Shown& shown) {
  const task::Solution* solution = shown.candidate    ? &shown.candidate->solution
                                   : shown.evaluation ? &shown.evaluation->request.candidate
                                                      : nullptr;
  std::string text;
  if (solution != nullptr) {
    for (const task::SourceFile& source : solution->sources) {
      text += fmt::format("// ---- {}\n{}", base::printable(source.path), base::printable(source.content));
      text += source.content.empty() || source.content.back() != '\n' ? "\n" : "";
    }
  }
  return text;
}

std::string print_campaigns(const std::vector<service::CampaignStatus>& campaigns, Colour colour) {
  if (campaigns.empty()) {
    return "no campaigns yet; start one with: assay campaign run\n";
  }
  Table table({{"campaign"},
               {"phase"},
               {"definition"},
               {"candidates", Align::right},
               {"incumbent", Align::left, 44},
               {"speedup", Align::right},
               {"created"}});
  for (const service::CampaignStatus& status : campaigns) {
    std::string incumbent = status.configuration.baseline.name + " (baseline)";
    for (const control::CandidateState& candidate : status.state.candidates) {
      if (status.state.incumbent == candidate.number) {
        incumbent = candidate.name;
      }
    }
    const auto& confirmation = status.state.confirmation;
    const std::string phase = outcome_words(std::string(control::to_string(status.state.phase)));
    table.add({status.configuration.name,
               {phase + (status.state.alarms().empty() ? "" : ", ALARM"),
                status.state.alarms().empty() ? Tone::plain : Tone::bad},
               status.configuration.definition.name,
               std::to_string(status.state.candidates.size()),
               incumbent,
               ratio(confirmation ? std::optional(confirmation->speedup) : std::nullopt),
               status.created});
  }
  return table.render(colour);
}

std::string print_policy(const std::string& name, const std::vector<std::string>& sentences) {
  std::string text = fmt::format("policy {}\n", base::printable(name));
  for (const std::string& sentence : sentences) {
    text += "  - " + base::printable(sentence) + "\n";
  }
  return text;
}

std::string next_step(const service::CampaignStatus& status) {
  const std::string& name = status.configuration.name;
  if (status.state.stopped_by_budget) {
    return "its budget is used up; assay campaign run with another name and a larger one (--also takes its candidates)";
  }
  switch (status.state.phase) {
    case control::Phase::searching:
      if (status.state.supervision.open_decision(control::DecisionKind::spend) != nullptr) {
        return fmt::format("assay inbox, then: assay inbox answer …, then: assay campaign resume {}", name);
      }
      return "assay campaign resume " + name;
    case control::Phase::baseline:
    case control::Phase::confirming:
      return "assay campaign resume " + name;
    case control::Phase::awaiting_approval:
      return fmt::format("assay show, then: assay approve {} (or --refuse), then: assay campaign resume {}", name,
                         name);
    case control::Phase::finished:
      return status.state.incumbent ? fmt::format("assay export {} --output DIR", name) : std::string();
    case control::Phase::failed:
      return "mend the baseline, then start a campaign of another name";
  }
  return {};
}

std::string print_verify(const archive::VerifyReport& report) {
  std::string text;
  for (const std::string& problem : report.problems) {
    text += base::printable(problem) + "\n";
  }
  return text + fmt::format("{}, {}, {} ({}), {} in one chain: {}\n", plural(report.evaluations, "evaluation"),
                            plural(report.candidates, "candidate"), plural(report.blobs, "blob"),
                            base::human_bytes(report.blob_bytes), plural(report.decisions, "decision"),
                            report.problems.empty() ? "all sound" : plural(report.problems.size(), "problem"));
}

std::string print_collect(const archive::CollectReport& report) {
  return fmt::format("removed {} ({}) and {}\n", plural(report.blobs_removed, "blob"),
                     base::human_bytes(report.bytes_freed), plural(report.temporaries_removed, "temporary file"));
}

std::string print_statistics(const service::ArchiveStatistics& statistics) {
  return fmt::format(
      "archive      {}\ncampaigns    {}\ncandidates   {}\nevaluations  {}\nblobs        {} ({})\n"
      "database     {}\nbuild cache  {}\n",
      statistics.root.string(), statistics.campaigns, statistics.candidates, statistics.evaluations, statistics.blobs,
      base::human_bytes(statistics.blob_bytes), base::human_bytes(statistics.database_bytes),
      base::human_bytes(statistics.build_cache_bytes));
}

std::string print_failures(const std::vector<service::KeptFailure>& kept, Colour colour) {
  if (kept.empty()) {
    return "no failing input is kept: none of the evaluations here failed at a call\n";
  }
  Table table({{"when"},
               {"definition", Align::left, 40},
               {"input", Align::left, 72},
               {"caught first"},
               {"evaluation"},
               {"failures", Align::right}});
  for (const service::KeptFailure& one : kept) {
    table.add({one.stored.when, base::printable(one.stored.definition),
               base::printable(task::describe(one.stored.input)),
               fmt::format("{} ({})", base::printable(one.candidate), one.stored.candidate.brief()),
               one.stored.evaluation, std::to_string(one.stored.failures)});
  }
  return table.render(colour) +
         fmt::format("{}, replayed first against every later candidate\n", plural(kept.size(), "failing input"));
}

std::string print_export(const service::ExportReport& report, const std::string& folder) {
  std::string text = fmt::format("{} for {}, {}, in {}\n", base::printable(report.solution),
                                 base::printable(report.definition), plural(report.traces, "trace"), folder);
  for (const os::Path& file : report.files) {
    text += "  " + file.string() + "\n";
  }
  return text;
}

}  // namespace assay::cli
