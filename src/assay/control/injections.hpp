#pragma once

#include <optional>

#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/injection_events.hpp>
#include <assay/control/state.hpp>
#include <assay/task/solution.hpp>

namespace assay::control {

/// How much faster than the baseline, at least, the incumbent must be before the baseline is sent through the gate as a
/// known loser: then a gate that does not see it is blind to differences of the size that campaigns are about.
inline constexpr double kKnownSlower = 1.25;

/// What the incumbent surely gains on the baseline by the sweeps that promoted it and those before it: the product of
/// the lower ends of their intervals; 1 for the baseline itself.
[[nodiscard]] double sure_speedup(const CampaignState& state);

/// Says which injection is to be made after the newest round, now that its race is over; nothing: none, or all were
/// made. Whether a round has one is drawn from the campaign's seed and the round, at the policy's rates. Pure.
[[nodiscard]] std::optional<InjectionMade> due_injection(const CampaignState& state,
                                                         const CampaignConfiguration& configuration);

/// Makes the solution of an injection. `original` is the incumbent for a null: it gets another name and a comment that
/// builds it anew and changes nothing else. For a known loser it is the baseline under another name. A null whose
/// sources take no comment of C's is an internal error.
[[nodiscard]] base::Result<task::Solution> inject(InjectionKind kind, int number, const task::Solution& original);

/// Whether the null is swept: because it was drawn, or because its gate called it better, as a candidate's would be.
[[nodiscard]] bool to_be_swept(const InjectionState& injection);

/// Says in words what an injection's answers are worth: the alarm that a sweep would have promoted it, or a warning
/// that a copy failed or a known loser was not seen. Nothing, if all is as it should be, or has been said, or is not
/// known yet.
[[nodiscard]] std::optional<NullPromoted> due_alarm(const InjectionState& injection, const promote::Policy& policy);
[[nodiscard]] std::optional<InjectionWarned> due_warning(const InjectionState& injection);

}  // namespace assay::control
