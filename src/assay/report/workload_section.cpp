#include <assay/report/workload_section.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/plot/number.hpp>
#include <assay/report/wording.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::report {
namespace {

constexpr std::size_t kLongTable = 12;

std::string ratio_cell(double ratio, const std::string& text) {
  return fmt::format("<td class=\"number{}\">{}</td>", ratio < 1 ? " slower" : "", text);
}

bool is_time(const std::optional<double>& nanoseconds) { return nanoseconds && is_ratio(*nanoseconds); }

struct GroupSummary {
  std::string label;
  std::vector<double> baseline_ns;
  std::vector<double> incumbent_ns;
  double log_sum = 0;
  double least = std::numeric_limits<double>::infinity();
  std::size_t count = 0;
  std::size_t missing = 0;
};

std::vector<GroupSummary> summarise(const CampaignReport& report, const WorkloadGroups& groups) {
  std::vector<GroupSummary> summaries;
  for (std::size_t i = 0; i < groups.order.size(); ++i) {
    const WorkloadRow& row = report.workloads[groups.order[i]];
    if (summaries.empty() || summaries.back().label != groups.label[i]) {
      summaries.emplace_back().label = groups.label[i];
    }
    GroupSummary& summary = summaries.back();
    ++summary.count;
    if (!is_time(row.baseline_ns) || !is_time(row.incumbent_ns)) {
      ++summary.missing;
      continue;
    }
    summary.baseline_ns.push_back(*row.baseline_ns);
    summary.incumbent_ns.push_back(*row.incumbent_ns);
    const double ratio =
        row.speedup && is_ratio(row.speedup->estimate) ? row.speedup->estimate : *row.baseline_ns / *row.incumbent_ns;
    summary.log_sum += std::log(ratio);
    summary.least = std::min(summary.least, ratio);
  }
  return summaries;
}

}  // namespace

std::string group_table(const CampaignReport& report, const WorkloadGroups& groups) {
  std::string out = fmt::format(
      "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"number\">{}</th>"
      "<th scope=\"col\" class=\"number\">Workloads</th><th scope=\"col\" class=\"number\">Baseline, "
      "median</th>"
      "<th scope=\"col\" class=\"number\">Incumbent, median</th><th scope=\"col\" class=\"number\">Speedup, "
      "mean</th>"
      "<th scope=\"col\" class=\"number\">Speedup, least</th></tr></thead>\n<tbody>\n",
      safe(groups.axis));
  for (const GroupSummary& summary : summarise(report, groups)) {
    out +=
        fmt::format("<tr><td class=\"number\">{}</td><td class=\"number\">{}</td>", safe(summary.label), summary.count);
    if (summary.missing > 0) {
      out += fmt::format("<td class=\"number slower\" colspan=\"4\">incomplete: {} of {} without a time</td></tr>\n",
                         summary.missing, summary.count);
      continue;
    }
    const double mean = std::exp(summary.log_sum / static_cast<double>(summary.count));
    out += fmt::format("<td class=\"number\">{}</td><td class=\"number\">{}</td>{}{}</tr>\n",
                       time_or_missing(stats::median(summary.baseline_ns)),
                       time_or_missing(stats::median(summary.incumbent_ns)), ratio_cell(mean, plot::ratio_label(mean)),
                       ratio_cell(summary.least, plot::ratio_label(summary.least)));
  }
  return out + "</tbody></table></div>\n";
}

std::string workload_table(const CampaignReport& report, const WorkloadGroups& groups) {
  std::string rows;
  for (const std::size_t index : groups.order) {
    const WorkloadRow& row = report.workloads[index];
    const std::string speedup = row.speedup ? ratio_cell(row.speedup->estimate, with_interval(*row.speedup))
                                            : std::string("<td class=\"number\">–</td>");
    rows += fmt::format(
        "<tr><td>{}</td><td><code>{}</code></td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td>{}</tr>\n",
        safe(pairs_text(row.axes)), safe(row.uuid), time_or_missing(row.baseline_ns), time_or_missing(row.incumbent_ns),
        speedup);
  }
  const std::string open = report.workloads.size() > kLongTable ? "" : " open=\"open\"";
  return fmt::format(
      "<details{}><summary>Every workload ({})</summary>\n<div class=\"scroll\"><table>\n<thead><tr>"
      "<th scope=\"col\">Axes</th><th scope=\"col\">Workload</th><th scope=\"col\" "
      "class=\"number\">Baseline</th>"
      "<th scope=\"col\" class=\"number\">Incumbent</th><th scope=\"col\" "
      "class=\"number\">Speedup</th></tr></thead>\n"
      "<tbody>\n{}</tbody></table></div></details>\n",
      open, report.workloads.size(), rows);
}

}  // namespace assay::report
