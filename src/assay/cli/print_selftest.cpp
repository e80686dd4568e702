#include <assay/cli/print_selftest.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

using report::Tone;

std::string outcome_text(const service::SelftestRow& row) {
  return row.outcome ? std::string(task::to_string(*row.outcome)) : std::string("no verdict");
}

std::string expected_text(const service::CorpusEntry& entry) {
  std::vector<std::string> words;
  for (const task::Outcome outcome : entry.expected) {
    words.emplace_back(task::to_string(outcome));
  }
  return base::join(words, " or ");
}

// "incorrect", or "incorrect 9, suspect 1" where runs differ.
std::string outcomes_text(std::span<const service::SelftestRow> rows) {
  std::vector<std::pair<std::string, int>> counts;
  for (const service::SelftestRow& row : rows) {
    const std::string text = outcome_text(row);
    const auto found =
        std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == text; });
    if (found == counts.end()) {
      counts.emplace_back(text, 1);
    } else {
      ++found->second;
    }
  }
  if (counts.size() == 1) {
    return counts.front().first;
  }
  std::vector<std::string> parts;
  for (const auto& [text, count] : counts) {
    parts.push_back(fmt::format("{} {}", text, count));
  }
  return base::join(parts, ", ");
}

// "poison: changes (incorrect): output[0, 0] is 3", or the cause.
std::string last_column(const service::SelftestPlan& plan, const service::SelftestRow& row) {
  if (!row.ablation) {
    return row.cause;
  }
  return fmt::format("{}: {} ({}): {}", plan.entries[row.entry].probe, to_string(row.ablation->effect),
                     row.ablation->outcome ? task::to_string(*row.ablation->outcome) : "no verdict",
                     row.ablation->cause);
}

std::size_t count_of(const std::vector<service::CorpusEntry>& entries, service::EntryKind kind) {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [kind](const auto& entry) { return entry.kind == kind; }));
}

std::string seconds_text(double seconds) { return base::human(std::chrono::nanoseconds(std::llround(seconds * 1e9))); }

}  // namespace

std::string print_plan(const service::SelftestPlan& plan) {
  std::vector<std::string> folders;
  for (const os::Path& folder : plan.corpora) {
    folders.push_back(folder.string());
  }
  return fmt::format(
      "Judging {} hostile and {} honest candidates{} from {}.\n"
      "Each is built and run like any other candidate, on {} small workloads of {},\n"
      "on {} and in a temporary archive. A hostile one must get the outcome that its file states, an honest one must "
      "pass.",
      count_of(plan.entries, service::EntryKind::hostile), count_of(plan.entries, service::EntryKind::honest),
      plan.runs > 1 ? fmt::format(", {} times,", plan.runs) : std::string(), base::join(folders, " and "),
      plan.workloads.size(), plan.definition.name, plan.device);
}

std::string disagreement_text(const service::SelftestPlan& plan, const service::SelftestRow& row) {
  const service::CorpusEntry& entry = plan.entries[row.entry];
  return fmt::format("{} {} (run {}, seed {}): {}, expected {}: {}", to_string(entry.kind), entry.name, row.run,
                     row.seed, outcome_text(row), expected_text(entry), base::printable(last_column(plan, row)));
}

std::string print_selftest(const service::SelftestReport& report, report::Colour colour) {
  report::Table table(
      {{"entry"},
       {"outcome"},
       {"expected"},
       {"seconds", report::Align::right},
       {"sandbox"},
       {report.plan.ablate ? "without its probe" : "what its author is told", report::Align::left, 100}});
  const std::span<const service::SelftestRow> rows(report.rows);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    double seconds = 0;
    bool agrees = true;
    while (end < rows.size() && rows[end].entry == rows[begin].entry) {
      seconds += rows[end].seconds;
      agrees = agrees && rows[end].agrees;
      ++end;
    }
    const service::CorpusEntry& entry = report.plan.entries[rows[begin].entry];
    table.add({entry.name,
               {outcomes_text(rows.subspan(begin, end - begin)), agrees ? Tone::plain : Tone::bad},
               expected_text(entry),
               fmt::format("{:.2f}", seconds / static_cast<double>(end - begin)),
               rows[begin].sandbox,
               {last_column(report.plan, rows[begin]), Tone::faint}});
    begin = end;
  }
  std::string text = table.render(colour);
  const std::size_t wrong = report.disagreements();
  text += fmt::format("\n{} candidates, {} evaluations in {}: ", report.plan.entries.size(), report.rows.size(),
                      seconds_text(report.seconds));
  text += wrong == 0 ? report::tinted("all as stated", Tone::good, colour) + "\n"
                     : report::tinted(fmt::format("{} not as stated", wrong), Tone::bad, colour) + "\n";
  for (const service::SelftestRow& row : report.rows) {
    if (!row.agrees) {
      text += "  " + disagreement_text(report.plan, row) + "\n";
    }
  }
  return text;
}

}  // namespace assay::cli
