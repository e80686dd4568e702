#include <assay/service/role_proposer.hpp>

#include <fmt/format.h>

#include <utility>

#include <assay/agent/full_agent.hpp>
#include <assay/agent/http_agent.hpp>
#include <assay/agent/role_prompt.hpp>
#include <assay/base/text.hpp>

namespace assay::service {
namespace {

// Another program than the executor's knows no model of its, so it takes its own.
agent::RoleSettings role_settings(const agent::AgentSettings& executor, const std::string& word) {
  agent::RoleSettings role{executor.choice, executor.limits, executor.most};
  if (word != role.choice.word) {
    role.choice.word = word;
    role.choice.model.clear();
  }
  return role;
}

base::Result<agent::AgentProgram> role_program(const agent::AgentChoice& choice, const os::Path& folder) {
  return agent::make_agent_program(choice, folder, choice.schema ? agent::kAnswerPrompt : agent::kShortPrompt,
                                   agent::own_environment());
}

}  // namespace

base::Result<void> check_roles(const AgentOptions& given) {
  if (!given.full_agent && !(given.planner.empty() && given.summariser.empty())) {
    return base::input_error("campaign.roles", "--planner and --summariser are roles of --full-agent: give that too");
  }
  if (given.full_agent && given.word.empty()) {
    return base::input_error("campaign.roles", "--full-agent needs an agent that carries plans out: give --agent");
  }
  if (given.full_agent && (!given.others.empty() || !given.languages.empty())) {
    return base::input_error("campaign.roles",
                             "--full-agent has one agent that carries plans out, in the baseline's language: give "
                             "--agent once and no --language, and name others with --planner and --summariser");
  }
  for (const std::string& word : {given.word, given.planner, given.summariser}) {
    if (given.full_agent && agent::names_http_agent(word)) {
      return base::input_error("campaign.roles",
                               fmt::format("\"{}\" can play no role of --full-agent: a model behind an address has no "
                                           "folder to read plans and candidates from; give codex, claude or "
                                           "command:PROGRAM",
                                           base::printable(word)));
    }
  }
  return {};
}

base::Result<control::FullAgentPlan> plan_roles(const AgentOptions& given) {
  control::FullAgentPlan roles;
  for (auto [role, word] :
       {std::pair(&roles.planner, &given.planner), std::pair(&roles.summariser, &given.summariser)}) {
    *role = word->empty() ? given.word : *word;
    ASSAY_TRY(role_program({*role, "", std::nullopt}, "/"));
  }
  return roles;
}

std::unique_ptr<agent::Proposer> make_full_agent(const control::CampaignConfiguration& configuration,
                                                 const agent::AgentSettings& one) {
  const control::FullAgentPlan& plan = *configuration.agent->full_agent;
  agent::FullAgentSettings settings;
  settings.planner = role_settings(one, plan.planner);
  settings.executor = role_settings(one, one.choice.word);
  settings.summariser = role_settings(one, plan.summariser);
  settings.population = {configuration.tuner_seed, plan.islands, plan.migration_rounds,
                         configuration.candidates_per_round};
  settings.baseline = one.origin;
  settings.records = one.records;
  settings.folders = one.folders;
  return std::make_unique<agent::FullAgent>(std::move(settings), role_program);
}

}  // namespace assay::service
