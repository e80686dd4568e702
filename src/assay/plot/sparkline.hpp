#pragma once

#include <string>
#include <vector>

#include <assay/plot/svg.hpp>

namespace assay::plot {

/// A line the size of a word.
struct Sparkline {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::vector<double> values;  ///< Finite; in the order of drawing, evenly spaced.
  double width = 140;
  double height = 28;
  Style style = Style::embedded;
};

/// Draws the values as steps (they hold until the next one) with a dot on the last. Its description gives
/// first, last, least and greatest. Without values it is an empty picture that says so.
[[nodiscard]] std::string draw(const Sparkline& sparkline);

}  // namespace assay::plot
