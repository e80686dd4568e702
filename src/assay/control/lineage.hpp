#pragma once

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// Fills in where a trial comes from, and what was measured of it with its intervals: what a population chooses parents by.
[[nodiscard]] base::Result<void> add_lineage(const archive::Archive& archive,
                                             const CampaignConfiguration& configuration, const CampaignState& state,
                                             const CandidateState& candidate, agent::Trial& trial);

}  // namespace assay::control
