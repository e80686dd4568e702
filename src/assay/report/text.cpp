#include <assay/report/text.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <assay/base/text.hpp>
#include <assay/report/wording.hpp>

namespace assay::report {
namespace {

constexpr std::size_t kBest = 5;

Tone tone_of(const CandidateRow& row) {
  if (row.promoted) {
    return row.demotion.empty() ? Tone::good : Tone::bad;
  }
  return row.outcome && family(*row.outcome) == OutcomeFamily::failure ? Tone::bad : Tone::plain;
}

std::string fate(const CandidateRow& row) {
  if (row.promoted) {
    return row.demotion.empty() ? "promoted" : "demoted";
  }
  return row.unswept.empty() ? words(*row.outcome) : "not swept";
}

std::string headline_lines(const Headline& headline, Colour colour) {
  std::string out;
  const auto line = [&](std::string_view what, const std::string& value) {
    out += fmt::format("  {:<28}{}\n", what, tinted(value, Tone::strong, colour));
  };
  line("speedup over the baseline", with_interval(headline.speedup));
  if (headline.resampled) {
    line("  for one look", resampled_text(*headline.resampled));
  }
  line("mean latency", fmt::format("{:.3f} of the baseline's", headline.mean_latency_ratio));
  line("contest score", fmt::format("{:.3f}", headline.contest_score));
  line("measured over",
       counted(headline.workloads, "workload") + ", " + counted(headline.pairs, "process pair") + ", in a new session");
  return out + "\n";
}

// Names and words are other people's: what comes back is printed as text.
std::string supervisor_lines(const CampaignReport& report) {
  std::string out;
  for (const FindingRow& finding : report.findings) {
    out += fmt::format("  after round {}, {} ({}): {}: {}\n", finding.round, finding.condition, finding.cause,
                       finding.recovery, finding.evidence);
  }
  for (const PersonRow& row : report.people) {
    out += fmt::format("  {}: {} -> {}{}\n", row.what, base::printable(row.text), base::printable(row.answer),
                       row.by.empty() ? "" : fmt::format(" ({}, {:.1f} min)", base::printable(row.by), row.minutes));
  }
  if (!report.stopped.empty()) {
    out += "  the search was ended: " + base::printable(report.stopped) + "\n";
  }
  return out.empty() ? out : "Supervisor:\n" + out + "\n";
}

std::string best_candidates(const CampaignReport& report, Colour colour) {
  std::vector<const CandidateRow*> best;
  for (const CandidateRow& row : report.candidates) {
    if (trusted_speedup(row)) {
      best.push_back(&row);
    }
  }
  std::sort(best.begin(), best.end(), [](const CandidateRow* a, const CandidateRow* b) {
    return std::make_pair(-a->speedup->estimate, a->number) < std::make_pair(-b->speedup->estimate, b->number);
  });
  best.resize(std::min(best.size(), kBest));
  if (best.empty()) {
    return "No candidate was both correct and measured.\n";
  }
  Table table({{"#", Align::right},
               {"candidate", Align::left, 36},
               {"outcome"},
               {"speedup", Align::right},
               {"change", Align::left, 48}});
  for (const CandidateRow* row : best) {
    table.add({std::to_string(row->number),
               row->name,
               {fate(*row), tone_of(*row)},
               with_interval(*row->speedup),
               {row->hypothesis.change, Tone::faint}});
  }
  return fmt::format("Screening, the best by the search's own estimates:\n{}", table.render(colour, 2));
}

}  // namespace

std::string render_text(const CampaignReport& report, Colour colour) {
  const auto shown = [](const std::string& text) { return base::printable(text); };
  std::string out = fmt::format("{}: {} on {}, {}\n\n", tinted(shown(report.campaign), Tone::strong, colour),
                                shown(report.definition), shown(report.device), shown(report.state));
  for (const std::string& alarm : report.alarms) {
    out += "  " + tinted("ALARM: " + shown(alarm), Tone::bad, colour) + "\n";
  }
  for (const std::string& warning : report.warnings) {
    out += "  " + tinted("warning: " + shown(warning), Tone::bad, colour) + "\n";
  }
  out += report.alarms.empty() && report.warnings.empty() ? "" : "\n";
  for (const std::string& sentence : report.decision) {
    out += "  " + shown(sentence) + "\n";
  }
  out += report.decision.empty() ? "" : "\n";
  if (report.headline) {
    out += headline_lines(*report.headline, colour);
  }
  const auto waiting = std::count_if(report.candidates.begin(), report.candidates.end(),
                                     [](const CandidateRow& row) { return !row.outcome; });
  const std::string outcomes = outcomes_text(report);
  out += counted(static_cast<std::int64_t>(report.candidates.size()), "candidate") +
         (outcomes.empty() ? "" : ": " + outcomes) + (waiting > 0 ? fmt::format(", {} not judged yet", waiting) : "") +
         "\n\n";
  if (!report.injections.empty()) {
    const auto odd = std::count_if(report.injections.begin(), report.injections.end(),
                                   [](const InjectionRow& row) { return !row.complaint.empty(); });
    out += fmt::format("{}, {}\n\n", counted(static_cast<std::int64_t>(report.injections.size()), "injection"),
                       odd == 0 ? std::string("none with an answer that it should not have")
                                : fmt::format("{} with an answer that it should not have", odd));
  }
  return out + supervisor_lines(report) + best_candidates(report, colour);
}

}  // namespace assay::report
