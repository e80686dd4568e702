#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/evaluator.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// Tells a person what happens; may be empty.
struct Observer {
  /// Called after each event has landed, with the state that it led to and a line that says what happened.
  std::function<void(const CampaignState&, const std::string& line)> on_event;
};

/// Attempts at one evaluation in one run, before the error of the environment is returned. `resume` tries again.
inline constexpr int kAttemptsPerRun = 3;

/// Runs a campaign from wherever its journal stands until it is finished, failed, or waits for a person. Every result
/// lands in one transaction with its event, so a kill at any moment loses nothing that was finished. An evaluation
/// that ends in an environment error is tried again up to twice; the attempts are journalled and counted over all
/// runs. Errors of the input and internal ones end the run at once, with the journal as it stands.
[[nodiscard]] base::Result<CampaignState> run_campaign(archive::Archive& archive, const std::string& name,
                                                       Evaluator& evaluator, agent::Proposer& proposer,
                                                       const Observer& observer);

/// Reads a campaign's configuration and state. A campaign that does not exist is an input error.
[[nodiscard]] base::Result<CampaignConfiguration> load_configuration(const archive::Archive& archive,
                                                                     const std::string& name);
[[nodiscard]] base::Result<CampaignState> load_state(const archive::Archive& archive,
                                                     const CampaignConfiguration& configuration);

/// Records a person's approval or refusal of the waiting candidate. `who` must not be blank. If nothing waits, that is
/// an input error that says where the campaign stands. `seconds` of their attention are booked with the answer; 0: they
/// did not tell.
[[nodiscard]] base::Result<void> approve(archive::Archive& archive, const std::string& campaign, bool yes,
                                         const std::string& who, const std::string& why, std::int64_t seconds = 0);

}  // namespace assay::control
