#pragma once

#include <optional>

#include <assay/base/json.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/log_ratio.hpp>
#include <assay/control/state.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::mcp {

/// Returns what was measured of a candidate against the incumbent of its time, regime by regime: {"name", "workloads_timed",
/// "speedup"}, the geometric mean over those of its workloads that were timed. Regimes without any are left out.
[[nodiscard]] base::Json regimes_of(const task::Evaluation& evaluation,
                                    const control::CampaignConfiguration& configuration,
                                    const control::CampaignState& state);

/// A candidate's log-ratio to the baseline, with its bounds; the baseline (nullptr) is exactly 0. Nothing if it was not timed.
[[nodiscard]] std::optional<control::LogRatio> interval_of(const control::CandidateState* candidate);

/// Holds two log-ratios to one baseline against each other: {"relation", "second_over_first", "note"}. They come from different
/// sessions, so their bounds are added: it is easy to tell too little here, and hard to tell too much.
[[nodiscard]] base::Json relation_of(const std::optional<control::LogRatio>& first,
                                     const std::optional<control::LogRatio>& second);

}  // namespace assay::mcp
