#pragma once

#include <vector>

#include <assay/agent/prompt.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// What an agent may know of a campaign, but for what was tried: the state as the controller searches by it. Numbers are
/// those that were measured and still hold; what was not measured is absent. Pure.
[[nodiscard]] agent::Situation situation_of(const CampaignConfiguration& configuration, const CampaignState& state);

/// The axes whose values differ between workloads, by name.
[[nodiscard]] std::vector<agent::AxisFact> varying_axes(const std::vector<task::Workload>& workloads);

}  // namespace assay::control
