#include <assay/report/figures.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <assay/report/wording.hpp>

namespace assay::report {
namespace {

std::string tooltip(const CandidateRow& row) {
  std::string text =
      fmt::format("{}. {}: {}", row.number, row.name, row.outcome ? words(*row.outcome) : "not judged yet");
  if (const auto speedup = trusted_speedup(row)) {
    text += fmt::format(", {}", with_interval(*speedup));
  }
  text += row.promoted ? ", promoted" : "";
  return row.cause.empty() ? text : text + ". " + row.cause;
}

// The axis with the fewest values of those that vary; the first of equals. Empty if none varies.
std::string grouping_axis(const std::vector<WorkloadRow>& workloads) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::int64_t>> values;
  for (const WorkloadRow& row : workloads) {
    for (const auto& [name, value] : row.axes) {
      if (values.count(name) == 0) {
        names.push_back(name);
      }
      values[name].insert(value);
    }
  }
  std::string best;
  for (const std::string& name : names) {
    if (values[name].size() > 1 && (best.empty() || values[name].size() < values[best].size())) {
      best = name;
    }
  }
  return best;
}

}  // namespace

plot::SpeedupChart speedup_chart(const CampaignReport& report) {
  plot::SpeedupChart chart;
  chart.id = "speedup";
  chart.title = "Speedup over the baseline, by candidate";
  chart.baseline = report.baseline;
  chart.style = plot::Style::from_page;
  std::map<std::string, std::size_t> rows;
  const auto add_row = [&](const std::string& name, plot::SpeedupRow::Kind kind) {
    rows.emplace(name, chart.rows.size());
    chart.rows.push_back({name, kind});
  };
  const auto has_unmeasured = [&](std::optional<task::Outcome> outcome) {
    return std::any_of(report.candidates.begin(), report.candidates.end(),
                       [outcome](const CandidateRow& row) { return row.outcome == outcome && !trusted_speedup(row); });
  };
  for (const task::Outcome outcome : task::all_outcomes()) {
    if (has_unmeasured(outcome)) {
      add_row(words(outcome), family(outcome) == OutcomeFamily::failure ? plot::SpeedupRow::Kind::failure
                                                                        : plot::SpeedupRow::Kind::neutral);
    }
  }
  if (has_unmeasured(std::nullopt)) {
    add_row("not judged", plot::SpeedupRow::Kind::neutral);
  }
  for (const FindingRow& finding : report.findings) {
    plot::SpanMark span;
    span.from = finding.at;
    span.to = std::max(finding.at, finding.until);
    span.label = finding.label;
    span.tooltip =
        fmt::format("after round {}: {}; {}; {}", finding.round, finding.condition, finding.cause, finding.evidence);
    span.link = "#supervisor";
    span.tone = finding.is_plateau ? plot::Tone::doubt : plot::Tone::same;
    span.shaded = finding.is_plateau;
    chart.spans.push_back(std::move(span));
  }
  for (const CandidateRow& row : report.candidates) {
    plot::SpeedupPoint point;
    point.number = row.number;
    point.tooltip = tooltip(row);
    point.link = fmt::format("#candidate-{}", row.number);
    if (const auto speedup = trusted_speedup(row)) {
      point.speedup = {speedup->estimate, speedup->lower, speedup->upper};
      point.promoted = row.promoted;
    } else {
      point.row = rows.at(row.outcome ? words(*row.outcome) : "not judged");
    }
    chart.points.push_back(std::move(point));
  }
  return chart;
}

plot::Sparkline incumbent_sparkline(const CampaignReport& report) {
  plot::Sparkline sparkline;
  sparkline.id = "incumbent-history";
  sparkline.title = "Speedup of the running incumbent";
  sparkline.style = plot::Style::from_page;
  sparkline.values.push_back(1);
  for (const CandidateRow& row : report.candidates) {
    const auto speedup = trusted_speedup(row);
    sparkline.values.push_back(row.promoted && speedup ? speedup->estimate : sparkline.values.back());
  }
  return sparkline;
}

WorkloadGroups group_workloads(const CampaignReport& report) {
  WorkloadGroups groups;
  const std::string axis = grouping_axis(report.workloads);
  groups.axis = axis.empty() ? "workload" : axis;
  const auto axis_value = [&](const WorkloadRow& row) {
    const std::int64_t* value = task::find(row.axes, axis);
    return value == nullptr ? std::int64_t{-1} : *value;
  };
  for (std::size_t i = 0; i < report.workloads.size(); ++i) {
    groups.order.push_back(i);
  }
  std::sort(groups.order.begin(), groups.order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t index) {
      const WorkloadRow& row = report.workloads[index];
      std::vector<std::int64_t> others;
      for (const auto& [name, value] : row.axes) {
        others.push_back(value);
      }
      return std::make_tuple(axis_value(row), others, row.baseline_ns.value_or(0), index);
    };
    return key(a) < key(b);
  });
  for (const std::size_t index : groups.order) {
    const std::int64_t* value = task::find(report.workloads[index].axes, axis);
    groups.label.push_back(axis.empty() ? "all" : value == nullptr ? "none" : std::to_string(*value));
  }
  return groups;
}

plot::LatencyChart latency_chart(const CampaignReport& report, const WorkloadGroups& groups) {
  plot::LatencyChart chart;
  chart.id = "latency";
  chart.title = "Latency of each workload, baseline and incumbent";
  chart.axis = groups.axis;
  chart.baseline = report.baseline;
  chart.incumbent = report.incumbent;
  chart.style = plot::Style::from_page;
  const auto usable = [](std::optional<double> time) { return time && is_ratio(*time) ? time : std::nullopt; };
  for (std::size_t i = 0; i < groups.order.size(); ++i) {
    const WorkloadRow& row = report.workloads[groups.order[i]];
    std::string text = fmt::format("{} ({}): baseline {}, incumbent {}", pairs_text(row.axes), row.uuid,
                                   time_or_missing(row.baseline_ns), time_or_missing(row.incumbent_ns));
    text += row.speedup ? ", " + with_interval(*row.speedup) : "";
    chart.pairs.push_back({groups.label[i], std::move(text), usable(row.baseline_ns), usable(row.incumbent_ns)});
  }
  return chart;
}

}  // namespace assay::report
