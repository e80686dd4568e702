#pragma once

#include <vector>

#include <assay/base/error.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::control {

/// What an evaluation teaches beside its outcome, from its samples: how the hypothesis of a gated or swept candidate fares in
/// its own regime, and the noise floor where the session compared the incumbent with itself. `state` is as before the result;
/// `evaluation` and `samples` answer `request`. Pure.
[[nodiscard]] base::Result<std::vector<Entry>> lessons_of(const CampaignState& state, const PendingEvaluation& target,
                                                          const task::EvaluationRequest& request,
                                                          const task::Evaluation& evaluation,
                                                          const std::vector<task::Sample>& samples);

/// What the baseline's own evaluation teaches: how far its time on each regime's representative lies above the roofline's
/// floor, where the judge recorded one. A floor above the time bounds nothing, and is left out.
[[nodiscard]] std::vector<Entry> headroom_of(const BaselineMeasured& baseline, const task::Evaluation& evaluation);

}  // namespace assay::control
