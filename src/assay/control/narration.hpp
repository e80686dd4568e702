#pragma once

#include <string>

#include <assay/control/events.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// Says in one line what an event means, for a terminal. `state` is the state after it.
[[nodiscard]] std::string narrate(const Entry& entry, const CampaignState& state);

}  // namespace assay::control
