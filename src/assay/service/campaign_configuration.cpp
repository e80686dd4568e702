#include <assay/service/campaign_configuration.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/dialect.hpp>
#include <assay/dataset/given.hpp>
#include <assay/service/agent_arms.hpp>
#include <assay/service/judgement.hpp>
#include <assay/service/role_proposer.hpp>
#include <assay/service/solutions.hpp>
#include <assay/service/submissions.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {
namespace {

constexpr double kMillisecondsPerSecond = 1000;
constexpr double kSecondsPerMinute = 60;
constexpr double kRoundingSlack = 1e-6;

// Rounded down: a limit is never passed by rounding.
std::optional<std::int64_t> whole(const std::optional<double>& amount, double unit) {
  return amount ? std::optional(static_cast<std::int64_t>(std::min(std::floor(*amount * unit + kRoundingSlack),
                                                                   static_cast<double>(control::kLargestAmount))))
                : std::nullopt;
}

// Of the campaign itself; what its agent may spend stands with the agent.
control::Budget budget_for(const CampaignOptions& options) {
  return limits_of({std::nullopt,
                    std::nullopt,
                    options.budget_device_seconds,
                    options.budget_minutes,
                    options.budget_human_minutes,
                    {}});
}

// A program that is not there is told before the baseline is measured; a budget without what a run sets aside of it would
// be passed by a run whose account is lost.
base::Result<std::optional<control::AgentPlan>> plan_agent(const dataset::Dataset& dataset,
                                                           const CampaignOptions& options,
                                                           const control::CampaignConfiguration& configuration) {
  const AgentOptions& given = options.agent;
  ASSAY_TRY(check_roles(given));
  if (given.word.empty()) {
    if (given.budget_dollars || given.budget_tokens) {
      return base::input_error("campaign.no_agent",
                               "--budget-dollars and --budget-tokens limit what an agent spends, and "
                               "none proposes: name one with --agent, or leave them out");
    }
    return std::optional<control::AgentPlan>();
  }
  if (!options.tunable.empty()) {
    return base::input_error("campaign.two_proposers", "give --tunable or --agent: one of them proposes");
  }
  std::vector<control::AgentArm> arms;
  if (given.word == kSubmitted) {
    arms.push_back({std::string(kSubmitted), given.model, std::nullopt});
  } else {
    ASSAY_TRY_ASSIGN(arms, plan_arms(dataset, given, configuration));
  }
  if ((given.full_agent || given.tools) && arms.size() > 1) {
    return base::input_error("campaign.one_agent",
                             "--full-agent and --agent-tools take one --agent: leave the others out");
  }
  if (given.full_agent && given.tools) {
    return base::input_error("campaign.full_agent_tools",
                             "three roles take no tools yet: leave --agent-tools or --full-agent out");
  }
  if (given.tools && !agent::parse_dialect(given.word)) {
    return base::input_error("agent.no_tools",
                             "only codex and claude can be given tools: no other program has sockets");
  }
  if ((given.budget_dollars && given.dollars <= 0) || (given.budget_tokens && given.tokens <= 0)) {
    return base::input_error(
        "campaign.no_reservation",
        "a budget needs to know what one run may cost: give --run-dollars with --budget-dollars, and "
        "--run-tokens with --budget-tokens");
  }
  control::AgentPlan plan;
  plan.word = arms.front().word;
  plan.model = arms.front().model;
  plan.origin = arms.front().origin;
  plan.others.assign(std::next(arms.begin()), arms.end());
  plan.tools = given.tools;
  plan.minutes_per_run = given.minutes;
  plan.micro_dollars_per_run = control::to_micro_dollars(given.dollars);
  plan.tokens_per_run = given.tokens;
  plan.budget = limits_of({given.budget_dollars, given.budget_tokens, {}, {}, {}, {}});
  if (given.full_agent) {
    ASSAY_TRY_ASSIGN(plan.full_agent, plan_roles(given));
  }
  return std::optional(std::move(plan));
}

}  // namespace

control::Budget limits_of(const RaisedBudget& given) {
  control::Budget budget;
  if (given.dollars) {
    budget[control::Resource::micro_dollars] = control::to_micro_dollars(*given.dollars);
  }
  budget[control::Resource::tokens] = given.tokens;
  budget[control::Resource::device_ms] = whole(given.device_seconds, kMillisecondsPerSecond);
  budget[control::Resource::wall_ms] = whole(given.minutes, kSecondsPerMinute * kMillisecondsPerSecond);
  budget[control::Resource::human_seconds] = whole(given.human_minutes, kSecondsPerMinute);
  return budget;
}

base::Result<control::CampaignConfiguration> configure(const Context& context, const CampaignOptions& options) {
  ASSAY_TRY(check_device(options.device));
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  control::CampaignConfiguration configuration;
  configuration.name = options.name;
  configuration.device = options.device;
  ASSAY_TRY_ASSIGN(configuration.definition, resolve_definition(dataset, options.definition));
  ASSAY_TRY_ASSIGN(configuration.workloads, dataset.workloads(configuration.definition.name));
  ASSAY_TRY(dataset::find_given(dataset.root(), configuration.definition, configuration.workloads));
  if (options.baseline.empty()) {
    ASSAY_TRY_ASSIGN(auto baseline, default_incumbent(dataset, configuration.definition, options.device));
    if (!baseline) {
      return base::input_error(
          "campaign.no_baseline",
          fmt::format("the dataset has no solution of {} by the author \"baseline\"; name one with "
                      "--baseline",
                      configuration.definition.name));
    }
    configuration.baseline = std::move(*baseline);
  } else {
    ASSAY_TRY_ASSIGN(configuration.baseline,
                     resolve_solution(dataset, nullptr, options.baseline, configuration.definition));
  }
  for (const std::string& also : options.also) {
    ASSAY_TRY_ASSIGN(configuration.supplied.emplace_back(),
                     resolve_solution(dataset, nullptr, also, configuration.definition));
  }
  ASSAY_TRY_ASSIGN(configuration.agent, plan_agent(dataset, options, configuration));
  configuration.budget = budget_for(options);
  if (!options.tunable.empty()) {
    ASSAY_TRY_ASSIGN(configuration.tunable,
                     resolve_solution(dataset, nullptr, options.tunable, configuration.definition));
    if (!configuration.tunable->tuning) {
      return base::input_error(
          "campaign.not_tunable",
          fmt::format("{} declares no tunable parameters (/assay/tuning); the tuner cannot search it",
                      configuration.tunable->name));
    }
  } else if (options.also.empty() && !configuration.agent) {
    return base::input_error("campaign.nothing_to_try",
                             "a campaign needs candidates: name a solution to tune with --tunable, an agent "
                             "with --agent, or files with --also");
  }
  configuration.tuner_seed = options.seed;
  configuration.rounds = options.rounds;
  configuration.candidates_per_round = options.candidates_per_round;
  if (options.supervised) {
    configuration.supervision.emplace().ask_above_sweep_seconds = options.ask_above_sweep_seconds;
  }
  ASSAY_TRY_ASSIGN(configuration.policy, resolve_policy(options.policy));
  ASSAY_TRY(task::check_timing(configuration.policy.sweep, configuration.device));
  // The round trip refuses what could not be read back, and makes both sides of a later comparison alike.
  return control::decode_configuration(control::encode(configuration), "the campaign's configuration");
}

}  // namespace assay::service
