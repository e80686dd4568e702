#pragma once

#include <assay/base/json.hpp>
#include <assay/control/state.hpp>
#include <assay/report/model.hpp>

namespace assay::service {

/// Fills in what the supervisor found, what people were asked and said, and what came of it.
void add_supervision(const control::CampaignState& state, report::CampaignReport& report);

/// Encodes the same: {findings, decisions, steers, stopped, repeats_factor, model, parent}.
[[nodiscard]] base::Json encode_supervision(const control::CampaignState& state);

}  // namespace assay::service
