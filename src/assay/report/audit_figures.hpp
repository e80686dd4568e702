#pragma once

#include <string>
#include <vector>

#include <assay/foreign/audit.hpp>
#include <assay/plot/claims_chart.hpp>
#include <assay/plot/share_bars.hpp>
#include <assay/plot/timeline_chart.hpp>

namespace assay::report {

/// Returns how each verdict is marked, in the order of foreign::Verdict.
[[nodiscard]] const std::vector<plot::MarkKind>& verdict_marks();

/// Returns the anchor of a promotion's row in the table.
[[nodiscard]] std::string promotion_anchor(const foreign::Audit& audit, const foreign::Promotion& promotion);

/// Shapes the pictures of an audit: all promotions against the noise; the failures by owner; and the course of one trace,
/// in the order of the controller's search (evaluations whose place in it is not known come last).
[[nodiscard]] plot::ClaimsChart claims_chart(const foreign::Audit& audit);
[[nodiscard]] plot::ShareBars failure_bars(const foreign::Audit& audit);
[[nodiscard]] plot::Timeline trace_timeline(const foreign::Audit& audit, std::size_t trace);

}  // namespace assay::report
