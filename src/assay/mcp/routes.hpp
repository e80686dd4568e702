#pragma once

#include <optional>
#include <string>

#include <assay/base/json.hpp>
#include <assay/control/state.hpp>
#include <assay/task/hypothesis.hpp>

/// The campaign's memory (control/memory.hpp) as tools tell it: what hypotheses measured, never what their authors say of it.
namespace assay::mcp {

/// Routes that failed or that a person closed, the newest first, `limit` at most: {"hypothesis", "candidate", "regime",
/// "mechanism", "change", "predicted", "measured", "standing", "why", "again"}.
[[nodiscard]] base::Json failed_routes_of(const control::CampaignState& state, int limit);

/// Says which closed route a hypothesis repeats without saying what differs; null: none.
[[nodiscard]] base::Json repetition_of(const control::CampaignState& state,
                                       const std::optional<task::Hypothesis>& stated);

}  // namespace assay::mcp
