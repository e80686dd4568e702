#pragma once

#include <string>
#include <vector>

#include <assay/control/state.hpp>

namespace assay::service {

/// Says what a campaign has spent and what of its limits, what each promotion cost, and whether a limit ended it; a sentence
/// each. Nothing, if nothing was spent.
[[nodiscard]] std::vector<std::string> spending_words(const control::CampaignState& state);

}  // namespace assay::service
