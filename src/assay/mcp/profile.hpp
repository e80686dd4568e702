#pragma once

#include <assay/base/json.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/state.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::mcp {

/// Where a candidate's time goes, as far as the archive has it: {"timer_floor_us", "workloads", "kernels", "not_measured"}.
/// Workloads are named by their regime alone, never by their shape: each has its latency, what its least work takes on this
/// device by the roofline's floor where one was measured, and which of memory and arithmetic limits that. Kernels have what the
/// compiler said of them. `not_measured` says in words what nobody has looked at.
[[nodiscard]] base::Json profile_of(const task::Evaluation& evaluation,
                                    const control::CampaignConfiguration& configuration,
                                    const control::CampaignState& state);

}  // namespace assay::mcp
