#include <assay/control/configuration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/base/device_name.hpp>
#include <assay/control/spending_codec.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/readers.hpp>

namespace assay::control {
namespace {

using base::Json;
using task::Fields;
using task::Node;

constexpr std::size_t kLongestName = 40;
constexpr std::int64_t kMostRounds = 10'000;
constexpr std::int64_t kMostPerRound = 1'000;
constexpr std::int64_t kMostMinutes = 1'440;
constexpr std::int64_t kMostIslands = 100;

// The name begins evaluation ids, which name folders.
void check_name(const Node& node, const std::string& name) {
  const auto good = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), good) ||
      name.front() == '-' || name.back() == '-') {
    node.problem(fmt::format(
        "is not a campaign's name: use 1 to {} of a-z, 0-9 and '-', not starting or ending with '-'", kLongestName));
  }
}

task::Solution read_member_solution(const Node& node, const task::Definition& definition) {
  task::Solution solution = task::read_solution(node);
  if (node.has_value() && solution.definition != definition.name) {
    node.problem_at("/definition",
                    fmt::format("is \"{}\" and the campaign's definition is \"{}\": give a solution of it",
                                solution.definition, definition.name));
  }
  return solution;
}

std::vector<task::Workload> read_workloads(const Node& node, const task::Definition& definition) {
  std::vector<task::Workload> workloads;
  std::set<std::string> uuids;
  for (const Node& item : node.items(1)) {
    const std::size_t before = item.problem_count();
    task::Workload workload = task::read_carried_workload(item);
    if (item.problem_count() == before) {
      for (const task::Problem& problem : task::workload_problems(definition, workload)) {
        item.problem_at(problem.pointer, problem.message);
      }
      if (!uuids.insert(workload.uuid).second) {
        item.problem_at("/uuid", fmt::format("\"{}\" names an earlier workload too: leave one out", workload.uuid));
      }
    }
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

promote::Policy read_stored_policy(const Node& node) {
  if (!node.has_value()) {
    return {};
  }
  auto policy = promote::decode_policy(node.json(), "policy");
  if (!policy) {
    node.problem(policy.error().message);
    return {};
  }
  return std::move(*policy);
}

AgentArm read_arm(const Node& node, const task::Definition& definition) {
  AgentArm arm;
  Fields fields(node);
  arm.word = fields.required("word").text(task::TextRule::non_empty);
  arm.model = fields.required("model").text();
  if (const Node origin = fields.optional("origin"); origin.present()) {
    arm.origin = read_member_solution(origin, definition);
  }
  fields.refuse_others();
  return arm;
}

Json encode_arm(const AgentArm& arm) {
  Json json = {{"word", arm.word}, {"model", arm.model}};
  if (arm.origin) {
    json["origin"] = task::encode(*arm.origin);
  }
  return json;
}

FullAgentPlan read_full_agent(const Node& node) {
  FullAgentPlan plan;
  Fields fields(node);
  plan.planner = fields.required("planner").text(task::TextRule::non_empty);
  plan.summariser = fields.required("summariser").text(task::TextRule::non_empty);
  plan.islands = static_cast<int>(fields.required("islands").integer({1, kMostIslands}));
  plan.migration_rounds = static_cast<int>(fields.required("migration_rounds").integer({1, kMostRounds}));
  const Node last = fields.optional("summarise_last");
  plan.summarise_last = last.has_value() && last.boolean();
  fields.refuse_others();
  return plan;
}

AgentPlan read_agent_plan(const Node& node, const task::Definition& definition) {
  AgentPlan plan;
  Fields fields(node);
  plan.word = fields.required("word").text(task::TextRule::non_empty);
  plan.model = fields.required("model").text();
  plan.minutes_per_run = static_cast<int>(fields.required("minutes_per_run").integer({1, kMostMinutes}));
  plan.micro_dollars_per_run = fields.required("micro_dollars_per_run").integer({0, kLargestAmount});
  plan.tokens_per_run = fields.required("tokens_per_run").integer({0, kLargestAmount});
  if (const Node tools = fields.optional("tools"); tools.has_value()) {
    plan.tools = tools.boolean();
  }
  plan.budget = read_budget(fields.required("budget"));
  if (const Node origin = fields.optional("origin"); origin.present()) {
    plan.origin = read_member_solution(origin, definition);
  }
  if (const Node others = fields.optional("others"); others.present()) {
    std::set<std::string> names = {arm_name({plan.word, plan.model, plan.origin}, false)};
    for (const Node& item : others.items(1)) {
      plan.others.push_back(read_arm(item, definition));
      if (!names.insert(arm_name(plan.others.back(), false)).second) {
        item.problem("is there twice: give each agent with another model or language");
      }
    }
  }
  if (const Node full = fields.optional("full_agent"); full.has_value()) {
    plan.full_agent = read_full_agent(full);
  }
  fields.refuse_others();
  return plan;
}

Json encode_agent_plan(const AgentPlan& plan) {
  Json json = {{"word", plan.word},
               {"model", plan.model},
               {"minutes_per_run", plan.minutes_per_run},
               {"micro_dollars_per_run", plan.micro_dollars_per_run},
               {"tokens_per_run", plan.tokens_per_run},
               {"budget", control::encode(plan.budget)}};
  if (plan.origin) {
    json["origin"] = task::encode(*plan.origin);
  }
  if (!plan.others.empty()) {
    json["others"] = Json::array();
    for (const AgentArm& arm : plan.others) {
      json["others"].push_back(encode_arm(arm));
    }
  }
  if (plan.full_agent) {  // Left out otherwise, as campaigns of before have it.
    json["full_agent"] = {{"planner", plan.full_agent->planner},
                          {"summariser", plan.full_agent->summariser},
                          {"islands", plan.full_agent->islands},
                          {"migration_rounds", plan.full_agent->migration_rounds}};
    if (plan.full_agent->summarise_last) {
      json["full_agent"]["summarise_last"] = true;
    }
  }
  if (plan.tools) {  // Campaigns without are stored as they ever were.
    json["tools"] = true;
  }
  return json;
}

Supervision read_supervision(const Node& node) {
  Supervision supervision;
  Fields fields(node);
  supervision.horizon = static_cast<int>(fields.required("horizon").integer({1, kMostPerRound}));
  const Node probability = fields.required("least_probability");
  supervision.least_probability = probability.number();
  if (probability.present() && !(supervision.least_probability > 0 && supervision.least_probability < 1)) {
    probability.problem("is not between 0 and 1");
  }
  supervision.deadline_rounds = static_cast<int>(fields.required("deadline_rounds").integer({1, kMostRounds}));
  if (const Node limit = fields.required("ask_above_sweep_seconds"); limit.has_value()) {
    supervision.ask_above_sweep_seconds = limit.number();
  }
  const Node habits = fields.optional("habits");
  supervision.habits = habits.has_value() ? static_cast<int>(habits.integer({1, kNewestHabits})) : 1;
  fields.refuse_others();
  return supervision;
}

Json encode_supervision(const Supervision& supervision) {
  Json json = {{"horizon", supervision.horizon},
               {"least_probability", supervision.least_probability},
               {"deadline_rounds", supervision.deadline_rounds},
               {"ask_above_sweep_seconds",
                supervision.ask_above_sweep_seconds ? Json(*supervision.ask_above_sweep_seconds) : Json()}};
  if (supervision.habits > 1) {  // Campaigns of before are stored as they ever were.
    json["habits"] = supervision.habits;
  }
  return json;
}

CampaignConfiguration read_configuration(const Node& node) {
  CampaignConfiguration configuration;
  Fields fields(node);
  const Node version = fields.required("version");
  if (version.present() && version.integer() != kConfigurationVersion) {
    version.problem(
        fmt::format("is not {}: another version of Assay wrote the campaign; use that one", kConfigurationVersion));
  }
  const Node name = fields.required("name");
  configuration.name = name.text();
  if (name.present()) {
    check_name(name, configuration.name);
  }
  const Node device = fields.required("device");
  configuration.device = device.text(task::TextRule::non_empty);
  if (device.present() && !base::parse_device_name(configuration.device)) {
    device.problem(fmt::format("\"{}\" is not known: use {}", configuration.device, base::kDeviceNames));
  }
  configuration.definition = task::read_definition(fields.required("definition"));
  configuration.workloads = read_workloads(fields.required("workloads"), configuration.definition);
  configuration.baseline = read_member_solution(fields.required("baseline"), configuration.definition);
  for (const Node& item : fields.required("supplied").items()) {
    configuration.supplied.push_back(read_member_solution(item, configuration.definition));
  }
  const Node tunable = fields.required("tunable");
  if (tunable.has_value()) {
    configuration.tunable = read_member_solution(tunable, configuration.definition);
  }
  configuration.tuner_seed = fields.required("tuner_seed").unsigned_integer();
  configuration.rounds = static_cast<int>(fields.required("rounds").integer({0, kMostRounds}));
  configuration.candidates_per_round =
      static_cast<int>(fields.required("candidates_per_round").integer({1, kMostPerRound}));
  if (const Node agent = fields.optional("agent"); agent.has_value()) {
    configuration.agent = read_agent_plan(agent, configuration.definition);
  }
  if (const Node supervision = fields.optional("supervision"); supervision.has_value()) {
    configuration.supervision = read_supervision(supervision);
  }
  if (const Node budget = fields.optional("budget"); budget.has_value()) {
    configuration.budget = read_budget(budget);
  }
  configuration.policy = read_stored_policy(fields.required("policy"));
  fields.refuse_others();
  return configuration;
}

Json encode_all(const std::vector<task::Solution>& solutions) {
  Json all = Json::array();
  for (const task::Solution& solution : solutions) {
    all.push_back(task::encode(solution));
  }
  return all;
}

// With their lengths: a campaign that is resumed must time the same calls.
Json encode_all(const std::vector<task::Workload>& workloads) {
  Json all = Json::array();
  for (const task::Workload& workload : workloads) {
    all.push_back(task::encode_carried(workload));
  }
  return all;
}

}  // namespace

std::string arm_name(const AgentArm& arm, bool alone) {
  if (alone) {
    return arm.word;
  }
  std::string inside = arm.model;
  if (arm.origin) {
    inside += std::string(inside.empty() ? "" : ", ") + std::string(task::to_string(arm.origin->spec.language));
  }
  return inside.empty() ? arm.word : arm.word + " (" + inside + ")";
}

std::vector<AgentArm> AgentPlan::arms() const {
  std::vector<AgentArm> all = {{word, model, origin}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::optional<std::uint64_t> simulated_seed(std::string_view device) {
  const auto name = base::parse_device_name(device);
  return name && name->kind == base::DeviceName::Kind::simulated ? std::optional(name->number) : std::nullopt;
}

std::optional<AgentPlan> plan_with_model(const CampaignConfiguration& configuration,
                                         const std::optional<std::string>& model) {
  std::optional<AgentPlan> plan = configuration.agent;
  if (plan && model) {
    plan->model = *model;
  }
  return plan;
}

Budget budget_of(const CampaignConfiguration& configuration) {
  Budget budget = configuration.agent ? configuration.agent->budget : Budget();
  for (std::size_t i = 0; i < kResources; ++i) {
    if (configuration.budget.limits[i]) {
      budget.limits[i] = configuration.budget.limits[i];
    }
  }
  return budget;
}

Json encode(const CampaignConfiguration& configuration) {
  Json json = {{"version", kConfigurationVersion},
               {"name", configuration.name},
               {"device", configuration.device},
               {"definition", task::encode(configuration.definition)},
               {"workloads", encode_all(configuration.workloads)},
               {"baseline", task::encode(configuration.baseline)},
               {"supplied", encode_all(configuration.supplied)},
               {"tunable", configuration.tunable ? task::encode(*configuration.tunable) : Json()},
               {"tuner_seed", configuration.tuner_seed},
               {"rounds", configuration.rounds},
               {"candidates_per_round", configuration.candidates_per_round},
               {"policy", promote::encode(configuration.policy)}};
  if (configuration.agent) {  // Campaigns without one are stored as they ever were.
    json["agent"] = encode_agent_plan(*configuration.agent);
  }
  if (configuration.supervision) {  // Likewise.
    json["supervision"] = encode_supervision(*configuration.supervision);
  }
  if (configuration.budget != Budget()) {
    json["budget"] = control::encode(configuration.budget);
  }
  return json;
}

base::Result<CampaignConfiguration> decode_configuration(const Json& json, std::string_view source) {
  return task::as_result(task::decode_whole(json, task::Coercion::strict, read_configuration), source);
}

}  // namespace assay::control
