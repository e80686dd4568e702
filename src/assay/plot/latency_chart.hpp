#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/plot/svg.hpp>

namespace assay::plot {

/// One workload. A time that is absent is shown as missing: it is never left out of the picture.
struct LatencyPair {
  std::string group;  ///< Value of the axis that groups the workloads; pairs of one group are neighbours.
  std::string tooltip;
  std::optional<double> baseline_ns;  ///< Finite and above 0.
  std::optional<double> incumbent_ns;
};

struct LatencyChart {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::string axis;  ///< Name of the grouping axis, for the x axis.
  std::string baseline;
  std::string incumbent;
  std::vector<LatencyPair> pairs;  ///< In the order of drawing.
  Style style = Style::embedded;
};

/// Draws one dumbbell a workload, grouped, on a logarithmic time axis: a hollow ring for the baseline, a dot
/// for the incumbent, and a bar between them, which is heavy where the incumbent is slower.
[[nodiscard]] std::string draw(const LatencyChart& chart);

}  // namespace assay::plot
