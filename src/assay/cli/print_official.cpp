#include <assay/cli/print_official.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <assay/base/text.hpp>

namespace assay::cli {

namespace {

using report::Colour;

constexpr std::size_t kUuidShown = 8;

std::string in_microseconds(const std::optional<double>& nanoseconds) {
  return nanoseconds ? fmt::format("{:.2f}", *nanoseconds / 1000) : std::string("-");
}

std::string ratio_text(double numerator, double denominator) {
  return numerator > 0 && denominator > 0 ? fmt::format("{:.2f}x", numerator / denominator) : std::string("-");
}

// Their figure beside ours, workload by workload: other methods, so that a difference is nobody's mistake.
std::string official_times(const task::OfficialTiming& timing, const service::EvaluateReport& report, Colour colour) {
  const auto theirs = [](const std::vector<double>& medians) {
    return medians.empty() ? std::nullopt : std::optional(task::official_latency(medians));
  };
  const bool compares = report.request.incumbent.has_value();
  std::vector<report::Table::Column> columns = {
      {"workload"}, {"theirs µs", report::Align::right}, {"ours µs", report::Align::right}};
  if (compares) {
    columns.insert(columns.end(), {{"incumbent, theirs µs", report::Align::right},
                                   {"speedup, theirs", report::Align::right},
                                   {"speedup, ours", report::Align::right}});
  }
  report::Table table(std::move(columns));
  for (const task::OfficialLatency& latency : timing.workloads) {
    const auto& timings = report.evaluation.timings;
    const auto ours = std::find_if(timings.begin(), timings.end(),
                                   [&](const task::WorkloadTiming& one) { return one.uuid == latency.uuid; });
    const bool known = ours != timings.end();
    std::vector<report::Table::Cell> cells = {latency.uuid.substr(0, kUuidShown),
                                              in_microseconds(theirs(latency.candidate_ns)),
                                              in_microseconds(known ? ours->candidate_ns : std::nullopt)};
    if (compares) {
      cells.emplace_back(in_microseconds(theirs(latency.incumbent_ns)));
      cells.emplace_back(
          ratio_text(task::official_latency(latency.incumbent_ns), task::official_latency(latency.candidate_ns)));
      cells.emplace_back(known ? ratio_text(ours->incumbent_ns.value_or(0), ours->candidate_ns.value_or(0)) : "-");
    }
    table.add(std::move(cells));
  }
  const std::size_t trials = timing.workloads.empty() ? 0 : timing.workloads.front().candidate_ns.size();
  return fmt::format(
             "\n  as flashinfer-bench times ({}: one process, one allocation, the same contents; {} untimed calls, the "
             "median\n  of {}, the mean of {} trials); beside our own times, and deciding nothing:\n\n",
             timing.method, timing.untimed_calls, timing.timed_calls, trials) +
         table.render(colour, 2);
}

}  // namespace

std::string print_official(const task::OfficialVerdict& verdict, const service::EvaluateReport& report, Colour colour) {
  std::string text = verdict.passed
                         ? fmt::format("  flashinfer-bench would pass it ({} trials by its own rule)\n", verdict.trials)
                         : fmt::format("  flashinfer-bench would not pass it: {}\n", base::printable(verdict.reason));
  if (!verdict.not_timed.empty() && verdict.not_timed != verdict.reason) {
    text += fmt::format("  its time is not told: {}\n", base::printable(verdict.not_timed));
  }
  return verdict.timing ? text + official_times(*verdict.timing, report, colour) : text;
}

}  // namespace assay::cli
