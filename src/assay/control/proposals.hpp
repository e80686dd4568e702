#pragma once

#include <optional>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// Numbers proposals, and recognises those that repeat the baseline, an earlier candidate or an earlier one of the
/// same round: first by content, then by normalised source; the earliest of each is named. Pure.
[[nodiscard]] CandidatesProposed number_proposals(const CampaignState& state,
                                                  const CampaignConfiguration& configuration, int round,
                                                  std::string proposer, const std::vector<agent::Proposal>& proposals);

/// What a round puts into the journal, in this order and at once: the hypotheses that its proposals state, and the
/// candidates that test them. A regime that the campaign does not have becomes "all". Pure.
[[nodiscard]] std::vector<Entry> round_entries(const CampaignState& state, const CampaignConfiguration& configuration,
                                               int round, const std::string& proposer,
                                               const std::vector<agent::Proposal>& proposals);

/// Says in words how a candidate repeats another: "the same bytes as candidate 3", "… as the baseline".
[[nodiscard]] std::string describe(const Duplicate& duplicate);
/// The same with what the earlier one measured; of a route, which one it is and what its author has to say (`tests`: the
/// hypothesis of the candidate that is refused).
[[nodiscard]] std::string describe(const Duplicate& duplicate, std::optional<int> tests, const CampaignState& state);

/// Makes proposals of the candidates that a person supplied.
[[nodiscard]] std::vector<agent::Proposal> supplied_proposals(const CampaignConfiguration& configuration);

/// The hypothesis with its regime as this campaign calls it; what names none is about all of them.
[[nodiscard]] task::Hypothesis in_known_regime(const CampaignState& state, task::Hypothesis hypothesis);

}  // namespace assay::control
