#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <assay/plot/mark_kind.hpp>
#include <assay/plot/span_lanes.hpp>
#include <assay/plot/svg.hpp>

namespace assay::plot {

/// One evaluation, in the order of the x axis.
struct TimelinePoint {
  std::string tooltip;
  std::string link;                  ///< "#promotion-3", or empty.
  std::optional<double> latency_ns;  ///< Finite and above 0. Absent: the point stands in a row below.
  std::optional<double> reference_ns;
  std::size_t row = 0;                  ///< Index into rows; only without a latency.
  std::optional<std::size_t> promoted;  ///< Index into kinds; only with a latency.
  std::string label;                    ///< Of a promotion.
  bool starts = false;                  ///< The first best: the incumbent's line begins here, without a promotion.
};

/// A way of not being measured: crosses in its tone.
struct TimelineRow {
  std::string name;
  Tone tone = Tone::bad;
};

/// Neighbouring points that belong together.
struct TimelineStretch {
  std::string name;
  std::size_t count = 0;  ///< Points.
};

struct Timeline {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::vector<MarkKind> kinds;
  std::vector<TimelineRow> rows;
  std::vector<TimelineStretch> stretches;  ///< Together all points.
  std::vector<TimelinePoint> points;
  std::vector<SpanMark> spans;  ///< What a supervisor saw, by index of the points; in lanes below the rows.
  std::optional<double> band;   ///< Half-width of the noise about the incumbent, as a logarithm.
  Style style = Style::embedded;
};

/// Draws the course of a search: the latency of each evaluation on a logarithmic axis, the incumbent as a step line with the
/// band of the noise about it, promotions as marks, and below, on an axis of its own, the latency of the reference: the
/// same code every time, so that it moves only with the environment. Evaluations without a latency have rows of crosses.
[[nodiscard]] std::string draw(const Timeline& timeline);

}  // namespace assay::plot
