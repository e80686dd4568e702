#include <assay/service/campaign_proposer.hpp>

#include <chrono>
#include <utility>

#include <assay/agent/agent_proposer.hpp>
#include <assay/agent/routed_proposer.hpp>
#include <assay/agent/tuner.hpp>
#include <assay/service/conversing_agent.hpp>
#include <assay/service/role_proposer.hpp>
#include <assay/service/submissions.hpp>
#include <assay/service/submitted_proposer.hpp>

namespace assay::service {
namespace {

constexpr double kMicroDollars = 1e6;

// Proposes nothing: a campaign may consist of candidates by hand alone.
class NoProposer final : public agent::Proposer {
 public:
  [[nodiscard]] std::string name() const override { return "none"; }
  [[nodiscard]] base::Result<std::vector<agent::Proposal>> propose(const std::vector<agent::Trial>& /*history*/,
                                                                   int /*count*/) override {
    return std::vector<agent::Proposal>();
  }
};

// What an agent is started with, from the campaign's own record of it.
base::Result<agent::AgentSettings> agent_settings(const control::CampaignConfiguration& configuration,
                                                  const control::AgentArm& arm, const os::Path& archive) {
  const control::AgentPlan& plan = *configuration.agent;
  agent::AgentSettings settings;
  settings.choice.word = arm.word;
  settings.choice.model = arm.model;
  settings.name = control::arm_name(arm, plan.others.empty());
  settings.most.tokens.input = plan.tokens_per_run;
  if (plan.micro_dollars_per_run > 0) {
    settings.most.dollars = static_cast<double>(plan.micro_dollars_per_run) / kMicroDollars;
    settings.choice.dollars = settings.most.dollars;
  }
  settings.limits.wall = std::chrono::minutes(plan.minutes_per_run);
  settings.origin = arm.origin.value_or(configuration.baseline);
  settings.keeps_language = arm.origin.has_value();
  settings.records = archive / "agent-runs";
  if (agent::names_http_agent(arm.word)) {
    ASSAY_TRY_ASSIGN(settings.http, agent::make_http_agent(settings.choice, agent::own_environment()));
    if (plan.tokens_per_run > 0) {
      settings.http->most_tokens = plan.tokens_per_run;
    }
  }
  settings.folders = archive / "agent-folders";
  return settings;
}

base::Result<agent::AgentProgram> agent_program(const agent::AgentChoice& choice, const os::Path& folder) {
  return agent::make_agent_program(choice, folder, agent::kShortPrompt, agent::own_environment());
}

base::Result<std::unique_ptr<agent::Proposer>> make_proposer(const Context& context,
                                                             const control::CampaignConfiguration& configuration,
                                                             CampaignProposer::Follow& follow) {
  const os::Path& archive = context.places.archive;
  if (configuration.agent && configuration.agent->word == kSubmitted) {
    return std::make_unique<SubmittedProposer>(SubmissionStore(archive, configuration.name), configuration.baseline,
                                               SubmittedProposer::WhenEmpty::end);
  }
  if (configuration.agent && configuration.agent->full_agent) {
    ASSAY_TRY_ASSIGN(agent::AgentSettings settings,
                     agent_settings(configuration, configuration.agent->arms().front(), archive));
    return make_full_agent(configuration, std::move(settings));
  }
  if (configuration.agent && configuration.agent->tools) {
    ASSAY_TRY_ASSIGN(agent::AgentSettings settings,
                     agent_settings(configuration, configuration.agent->arms().front(), archive));
    ASSAY_TRY_ASSIGN(std::unique_ptr<ConversingAgent> conversing,
                     ConversingAgent::create(context, configuration, std::move(settings)));
    follow = [raw = conversing.get()](const control::CampaignState& state) { raw->follow(state); };
    return std::unique_ptr<agent::Proposer>(std::move(conversing));
  }
  if (configuration.agent) {
    std::vector<std::unique_ptr<agent::Proposer>> arms;
    for (const control::AgentArm& arm : configuration.agent->arms()) {
      ASSAY_TRY_ASSIGN(agent::AgentSettings settings, agent_settings(configuration, arm, archive));
      const agent::AgentChoice choice = settings.choice;
      arms.push_back(std::make_unique<agent::AgentProposer>(
          std::move(settings), [choice](const os::Path& folder) { return agent_program(choice, folder); }));
    }
    if (arms.size() == 1) {
      return std::move(arms.front());
    }
    return std::make_unique<agent::RoutedProposer>(std::move(arms));
  }
  if (!configuration.tunable) {
    return std::make_unique<NoProposer>();
  }
  ASSAY_TRY_ASSIGN(agent::Tuner tuner, agent::Tuner::create(*configuration.tunable, configuration.tuner_seed));
  return std::make_unique<agent::Tuner>(std::move(tuner));
}

}  // namespace

base::Result<std::unique_ptr<CampaignProposer>> CampaignProposer::create(
    const Context& context, const control::CampaignConfiguration& configuration, const control::CampaignState& state) {
  std::unique_ptr<CampaignProposer> made(new CampaignProposer(context, configuration));
  made->chosen_ = state.supervision.model;
  ASSAY_TRY(made->make());
  made->follow(state);
  return made;
}

base::Result<void> CampaignProposer::make() {
  configuration_.agent = control::plan_with_model(original_, chosen_);
  Follow follow;
  ASSAY_TRY_ASSIGN(inner_, make_proposer(context_, configuration_, follow));
  follow_ = std::move(follow);
  made_with_ = chosen_;
  return {};
}

void CampaignProposer::follow(const control::CampaignState& state) {
  chosen_ = state.supervision.model;
  if (follow_) {
    follow_(state);
  }
}

void CampaignProposer::attend(const agent::Situation& situation, agent::RunJournal& journal) {
  situation_ = situation;
  journal_ = &journal;
}

base::Result<std::vector<agent::Proposal>> CampaignProposer::propose(const std::vector<agent::Trial>& history,
                                                                     int count) {
  ASSAY_CHECK(situation_ && journal_ != nullptr);
  // A run that goes on over rounds is ended by nobody for it.
  if (chosen_ != made_with_ && !inner_->is_running()) {
    ASSAY_TRY(make());
  }
  inner_->attend(*situation_, *journal_);
  return inner_->propose(history, count);
}

base::Result<void> CampaignProposer::conclude(const std::vector<agent::Trial>& history) {
  ASSAY_CHECK(situation_ && journal_ != nullptr);
  inner_->attend(*situation_, *journal_);
  return inner_->conclude(history);
}

}  // namespace assay::service
