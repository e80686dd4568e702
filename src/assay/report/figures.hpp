#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/plot/latency_chart.hpp>
#include <assay/plot/sparkline.hpp>
#include <assay/plot/speedup_chart.hpp>
#include <assay/report/model.hpp>

namespace assay::report {

/// Turns the model into the pictures of the page. They take their style from the page.

/// Every candidate once: those with a trusted speedup in the plot, the others in a row of their outcome.
[[nodiscard]] plot::SpeedupChart speedup_chart(const CampaignReport& report);

/// The running incumbent's speedup, one value a candidate, from the baseline's 1.
[[nodiscard]] plot::Sparkline incumbent_sparkline(const CampaignReport& report);

/// Workloads by the axis that groups them best: of the axes that vary, the one with the fewest values.
struct WorkloadGroups {
  std::string axis;                ///< "workload" if no axis varies.
  std::vector<std::size_t> order;  ///< Indices into the report's workloads: by that axis, then the others, then time.
  std::vector<std::string> label;  ///< One an entry of `order`.
};
[[nodiscard]] WorkloadGroups group_workloads(const CampaignReport& report);

[[nodiscard]] plot::LatencyChart latency_chart(const CampaignReport& report, const WorkloadGroups& groups);

}  // namespace assay::report
