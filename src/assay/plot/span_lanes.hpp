#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/plot/mark_kind.hpp>
#include <assay/plot/scale.hpp>
#include <assay/plot/svg.hpp>

namespace assay::plot {

/// Something that holds from one place of the x axis to another.
struct SpanMark {
  double from = 0;  ///< In units of the axis; not above `to`.
  double to = 0;
  std::string label;
  std::string tooltip;
  std::string link;  ///< See SvgHeader::open.
  Tone tone = Tone::doubt;
  bool shaded = false;  ///< The plot above is shaded there, too.
};

inline constexpr double kLaneHeight = 17;

/// Puts spans that overlap, with their labels, into different lanes, from the top; in the order of the spans.
[[nodiscard]] std::vector<std::size_t> assign_lanes(const std::vector<SpanMark>& spans, const Scale& x);
/// Returns the height of all lanes; 0 without spans.
[[nodiscard]] double lanes_height(const std::vector<SpanMark>& spans, const Scale& x);

/// Draws the shades, which belong below everything else.
void draw_span_shades(Svg& svg, const std::vector<SpanMark>& spans, const Scale& x, double top, double bottom);
/// Draws bars with their labels from `top` down, `name` at their left.
void draw_span_lanes(Svg& svg, const std::vector<SpanMark>& spans, const Scale& x, double top, std::string_view name);

}  // namespace assay::plot
