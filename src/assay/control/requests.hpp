#pragma once

#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/state.hpp>
#include <assay/task/request.hpp>

namespace assay::control {

/// Makes the request for an evaluation: stage, workloads and plan by its purpose. On a simulated device the seed
/// follows from the device's and the id of the first attempt, so that a resumed campaign, and what is tried again,
/// measures the same; otherwise the judge draws it. Where the policy sweeps by evidence, a sweep's alpha is its share
/// of the policy's (stats/online_levels.hpp), so that of all promotions of a campaign at most a share alpha are
/// expected to be false, and as many more pairs as so much smaller an alpha needs at least; a confirmation has the
/// policy's. `candidate` and `incumbent` are the solutions that `target` and the state name.
[[nodiscard]] task::EvaluationRequest make_request(const CampaignConfiguration& configuration,
                                                   const CampaignState& state, const PendingEvaluation& target,
                                                   task::Solution candidate, task::Solution incumbent);

/// Number of the candidate that the evaluation compares with; 0 (the baseline) for a confirmation and where there is
/// none.
[[nodiscard]] int compared_with(const CampaignState& state, Purpose purpose);

}  // namespace assay::control
