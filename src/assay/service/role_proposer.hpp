#pragma once

#include <memory>

#include <assay/agent/agent_proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/service/campaign.hpp>

namespace assay::service {

/// Says what does not fit together in options about roles.
[[nodiscard]] base::Result<void> check_roles(const AgentOptions& given);

/// Who plays which role: the agent, unless another is named. A program that is not there is an input error.
[[nodiscard]] base::Result<control::FullAgentPlan> plan_roles(const AgentOptions& given);

/// Makes the proposer of a campaign with three roles. `executor` is as the campaign's one agent would be started.
[[nodiscard]] std::unique_ptr<agent::Proposer> make_full_agent(const control::CampaignConfiguration& configuration,
                                                               const agent::AgentSettings& executor);

}  // namespace assay::service
