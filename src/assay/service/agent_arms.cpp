#include <assay/service/agent_arms.hpp>

#include <fmt/format.h>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/http_agent.hpp>
#include <assay/agent/prompt.hpp>
#include <assay/base/text.hpp>

namespace assay::service {
namespace {

base::Result<void> check_arm(const control::AgentArm& arm) {
  const agent::AgentChoice choice{arm.word, arm.model, std::nullopt};
  if (agent::names_http_agent(arm.word)) {
    ASSAY_TRY(agent::make_http_agent(choice, agent::own_environment()));
    return {};
  }
  ASSAY_TRY(agent::make_agent_program(choice, "/", agent::kShortPrompt, agent::own_environment()));
  return {};
}

// What an arm begins with in its language: the baseline, or else the dataset's first solution of it.
base::Result<task::Solution> origin_in(const dataset::Dataset& dataset, const std::string& language,
                                       const control::CampaignConfiguration& configuration) {
  if (task::to_string(configuration.baseline.spec.language) == language) {
    return configuration.baseline;
  }
  ASSAY_TRY_ASSIGN(const auto solutions, dataset.solutions(configuration.definition.name));
  for (const task::Solution& solution : solutions) {
    if (task::to_string(solution.spec.language) == language) {
      return solution;
    }
  }
  return base::input_error(
      "campaign.language",
      fmt::format("nothing to begin with in \"{}\": the dataset has no solution of {} in that language",
                  base::printable(language), configuration.definition.name));
}

}  // namespace

base::Result<std::vector<control::AgentArm>> plan_arms(const dataset::Dataset& dataset, const AgentOptions& given,
                                                       const control::CampaignConfiguration& configuration) {
  std::vector<control::AgentArm> arms = {{given.word, given.model, std::nullopt}};
  for (std::size_t i = 0; i < given.others.size(); ++i) {
    arms.push_back({given.others[i], i < given.models.size() ? given.models[i] : std::string(), std::nullopt});
  }
  std::vector<control::AgentArm> all;
  for (const control::AgentArm& arm : arms) {
    ASSAY_TRY(check_arm(arm));
    if (given.languages.empty()) {
      all.push_back(arm);
    }
    for (const std::string& language : given.languages) {
      ASSAY_TRY_ASSIGN(all.emplace_back(arm).origin, origin_in(dataset, language, configuration));
    }
  }
  return all;
}

}  // namespace assay::service
