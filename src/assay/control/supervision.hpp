#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>
#include <assay/supervise/history.hpp>
#include <assay/supervise/supervisor.hpp>

/// Supervision of a campaign: its candidates as the supervisor sees them, and what is to be journalled after a round. Pure.
namespace assay::control {

/// The judged candidates of the rounds, in their order; those supplied by hand are nobody's search. An improvement is a
/// promotion that was not taken back, by the gain of its sweep; undecided is a gate that came to its limit without a decision
/// and whose interval is wider than what counts. With how near the roofline the incumbent is, where that was modelled.
[[nodiscard]] supervise::History campaign_history(const CampaignState& state,
                                                  const CampaignConfiguration& configuration);

/// What the supervisor of this campaign goes by, less the causes whose recovery was tried in vain since the last promotion.
[[nodiscard]] supervise::Settings supervision_settings(const CampaignState& state,
                                                       const CampaignConfiguration& configuration);

/// What is due once a round is over: a decision that is overtaken or whose deadline has passed, a question, a finding. The same
/// condition is told again only when as many candidates more were judged as the supervisor looks at.
[[nodiscard]] std::optional<Entry> due_supervision(const CampaignState& state,
                                                   const CampaignConfiguration& configuration);

/// What a sweep's calls take at most, by the baseline's times.
[[nodiscard]] double most_sweep_seconds(const CampaignState& state, const CampaignConfiguration& configuration);

/// Whether a person must be asked before this candidate is swept, and if nobody was, the question.
struct SweepPermission {
  bool granted = true;
  std::optional<DecisionAsked> question;
};
[[nodiscard]] SweepPermission sweep_permission(int candidate, const CampaignState& state,
                                               const CampaignConfiguration& configuration);

/// What is due when a campaign is continued: a question about spending that nobody answered in the meantime.
[[nodiscard]] std::optional<DecisionClosed> overdue_at_resume(const CampaignState& state);

/// What people and the supervisor have to say to whoever proposes: a line each, as data.
[[nodiscard]] std::vector<std::string> notes_for_proposer(const CampaignState& state);

/// Whether an entry comes from a person and not from the controller: such may stand anywhere in a journal, and nobody can
/// decide them anew.
[[nodiscard]] bool comes_from_person(const Entry& entry);

}  // namespace assay::control
