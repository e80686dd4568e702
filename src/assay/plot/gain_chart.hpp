#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/plot/speedup_chart.hpp>

namespace assay::plot {

/// A promotion: from this spend on the search had that speedup.
struct GainStep {
  double spend = 0;    ///< Not below the step before.
  double speedup = 1;  ///< Finite and above 0.
  std::string label;
  std::string tooltip;
};

/// One search.
struct GainCurve {
  std::string name;
  std::vector<GainStep> steps;
  double end = 0;                            ///< What was spent in all; not below the last step.
  std::optional<SpeedupEstimate> confirmed;  ///< Of the end; drawn as a bar beside the curve.
};

struct GainChart {
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::string axis;               ///< "dollars spent".
  std::vector<GainCurve> curves;  ///< One or two: they differ in line and mark, not in colour alone.
};

/// The style rules of these charts, beside stylesheet(): whoever draws one puts both in the page's head.
[[nodiscard]] std::string gain_chart_style();

/// Draws speedup over the baseline, on a logarithmic axis, against what was spent: each search a step line from 1 on, that
/// ends where its spending did. The picture takes its style from the page.
[[nodiscard]] std::string draw(const GainChart& chart);

}  // namespace assay::plot
