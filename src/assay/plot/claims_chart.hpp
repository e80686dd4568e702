#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <assay/plot/mark_kind.hpp>
#include <assay/plot/svg.hpp>

namespace assay::plot {

/// A claimed change of a time: the logarithm of new over old, below 0 is faster. Finite.
struct Claim {
  double log_ratio = 0;
  std::size_t kind = 0;  ///< Index into the chart's kinds.
  std::string label;     ///< Short: it stands inside or beside the mark.
  std::string tooltip;
  std::string link;
};

struct ClaimsRow {
  std::string name;
  std::optional<double> own_band;  ///< Half-width of the row's own noise, as a logarithm.
  std::vector<Claim> claims;
};

struct ClaimsChart {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::vector<MarkKind> kinds;
  std::optional<double> band;  ///< Half-width of the noise of all, as a logarithm.
  std::string band_name;
  std::string own_band_name;
  std::vector<ClaimsRow> rows;
  Style style = Style::embedded;
};

/// Draws claimed changes against the noise: a row of marks for each row, faster to the left, the noise as a band about
/// "no change". Claims far outside the band stand at the edge with their value, since the eye is to judge those near it.
[[nodiscard]] std::string draw(const ClaimsChart& chart);

}  // namespace assay::plot
