#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/plot/svg.hpp>

namespace assay::plot {

/// A share with its interval, 0 <= lower <= estimate <= upper <= 1.
struct Rate {
  double estimate = 0;
  double lower = 0;
  double upper = 1;
};

/// What a panel of bars asks of its rates.
struct RatePanel {
  std::string title;
  std::optional<double> limit;  ///< Drawn as a line; absent: nothing is asked.
  std::string limit_label;      ///< "at most 1 %".
  /// Whether rates above the limit fail, or those below it. By their estimates.
  enum class Wanted : std::uint8_t { below, above } wanted = Wanted::below;
};

struct RateRow {
  std::string name;
  std::string detail;       ///< A second, softer line.
  std::vector<Rate> rates;  ///< One a panel.
};

struct RateChart {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::vector<RatePanel> panels;
  std::vector<RateRow> rows;
  Style style = Style::embedded;
};

/// Draws one horizontal bar a row and panel, with its interval and its number; a bar that misses what its panel asks is
/// drawn in the colour of failures and marked with a cross. All panels run from 0 to 100 %. A row with another number of
/// rates than there are panels is a bug of the caller.
[[nodiscard]] std::string draw(const RateChart& chart);

}  // namespace assay::plot
