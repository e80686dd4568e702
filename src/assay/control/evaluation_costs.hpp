#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/ledger.hpp>
#include <assay/control/state.hpp>
#include <assay/task/evaluation.hpp>

/// What evaluations take of the device and of the time, before and after. The rules, which are pure:
///
/// - Where the device's time or the wall has a limit, all that is left of it is set aside for the evaluation that is due, for
///   a candidate may take any time; but while there is something to confirm, not what a confirmation is expected to take.
/// - An evaluation of the search is not begun if less is left than it and the confirmation are expected to take: what the
///   dearest of its kind took so far. A confirmation is begun as long as anything is left.
/// - The judge is stopped before it passes what was set aside, and then all of that is booked.
namespace assay::control {

/// Whether the evaluation that is due is affordable.
struct Affordability {
  std::optional<Amounts> most;  ///< What is set aside for it; absent: nothing has a limit.
  std::string refusal;          ///< Why it is not made; empty: it is.
};

[[nodiscard]] Affordability affordability(const CampaignState& state, const CampaignConfiguration& configuration,
                                          Purpose purpose);

/// What is not given to anything else: what judging one more candidate and confirming the incumbent are expected to take.
[[nodiscard]] Amounts kept_for_judging(const CampaignState& state, const CampaignConfiguration& configuration);

/// What an evaluation took. A simulated device has a clock of its own, which runs as long as its calls: its samples' times
/// are the device's time and the wall's. Otherwise the judge's whole time is the device's, which it holds for so long, and
/// the wall's is what the campaign's clock says (`lap`), or the same.
[[nodiscard]] Amounts cost_of(const std::string& device, const task::Evaluation& evaluation,
                              const std::vector<task::Sample>& samples,
                              const std::optional<std::chrono::nanoseconds>& lap);

/// The same of one that came to no result: nobody but the campaign's clock knows. On a simulated device its clock is lost
/// with it.
[[nodiscard]] Amounts cost_of_failure(const std::optional<std::chrono::nanoseconds>& lap);

/// How long the judge may take, by what was set aside under the campaign's limits. Absent: as long as the request's plan
/// allows. A judge that is stopped takes a moment to die: it is stopped so much before.
[[nodiscard]] std::optional<std::chrono::nanoseconds> allowed_time(const CampaignConfiguration& configuration,
                                                                   const std::optional<Amounts>& most);

/// Whether `spent` passes what was set aside where the campaign has a limit: on a simulated clock, which nobody can stop.
[[nodiscard]] bool passes(const CampaignConfiguration& configuration, const std::optional<Amounts>& most,
                          const Amounts& spent);

}  // namespace assay::control
