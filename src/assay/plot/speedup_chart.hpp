#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/plot/span_lanes.hpp>
#include <assay/plot/svg.hpp>

namespace assay::plot {

/// A speedup with its interval: 0 < lower <= estimate <= upper; the bounds may be 0 and infinite, "not
/// known".
struct SpeedupEstimate {
  double estimate = 1;
  double lower = 1;
  double upper = 1;
};

struct SpeedupPoint {
  int number = 0;  ///< Place on the x axis; ascending.
  std::string tooltip;
  std::string link;                        ///< "#candidate-3", or empty.
  std::optional<SpeedupEstimate> speedup;  ///< Absent: the mark stands in a row below.
  std::size_t row = 0;                     ///< Index into the chart's rows; only without a speedup.
  bool promoted = false;                   ///< Became the incumbent; only with a speedup.
};

/// A row of marks below the chart: one way of not being measured.
struct SpeedupRow {
  enum class Kind : std::uint8_t { failure, neutral };
  std::string name;
  Kind kind = Kind::failure;
};

struct SpeedupChart {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::string baseline;  ///< Its name, for the line at 1.
  std::vector<SpeedupRow> rows;
  std::vector<SpeedupPoint> points;
  std::vector<SpanMark> spans = {};  ///< What a supervisor saw, by candidate number; in lanes below the rows.
  Style style = Style::embedded;
};

/// Draws speedup over the baseline by candidate number, on a logarithmic axis (half as fast and twice as fast
/// are equally far from 1), with intervals, and the running incumbent as a step line; below, a row of
/// distinct marks for each way of failing. Long intervals are cut at the edge of the plot, which the
/// estimates decide. An estimate that is not finite and above 0 is a bug of the caller.
[[nodiscard]] std::string draw(const SpeedupChart& chart);

}  // namespace assay::plot
