#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/promote/policy_fields.hpp>
#include <assay/stats/binomial_bound.hpp>
#include <assay/stats/failure_words.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::promote {
namespace {

using base::Json;
using task::Fields;
using task::Node;

constexpr std::array<std::string_view, 2> kApprovals = {"policy", "person"};
constexpr std::int64_t kMostPairs = 1000;
constexpr std::int64_t kMostSamples = 10000;
constexpr std::int64_t kLongestMilliseconds = 24 * 3600 * 1000;

// A field of the object, absent without complaint where a default stands in for it.
Node field(Fields& fields, std::string_view name, Missing missing) {
  return missing == Missing::refuse ? fields.required(name) : fields.optional(name);
}

void read_int(const Node& node, int& value, std::int64_t minimum, std::int64_t maximum) {
  if (node.present()) {
    value = static_cast<int>(node.integer({minimum, maximum}));
  }
}

// Bounds of a real number: `open` ones are excluded. NaN fits in none.
struct Range {
  double minimum;
  double maximum;
  bool open;
};

void read_real(const Node& node, double& value, Range range) {
  if (!node.present()) {
    return;
  }
  value = node.number();
  const bool fits =
      range.open ? value > range.minimum && value < range.maximum : value >= range.minimum && value <= range.maximum;
  if (!fits) {
    node.problem(fmt::format("is {}: give a number {} {} and {}", value, range.open ? "strictly between" : "between",
                             range.minimum, range.maximum));
  }
}

void read_milliseconds(const Node& node, std::chrono::milliseconds& value) {
  if (node.present()) {
    value = std::chrono::milliseconds(node.integer({1, kLongestMilliseconds}));
  }
}

// The fields and spellings of task's encoding of a plan.
void read_plan_fields(Fields& fields, task::SessionPlan& plan, Missing missing) {
  read_int(field(fields, "minimum_pairs", missing), plan.minimum_pairs, 2, kMostPairs);
  const Node most = field(fields, "maximum_pairs", missing);
  read_int(most, plan.maximum_pairs, 2, kMostPairs);
  if (plan.maximum_pairs < plan.minimum_pairs) {
    most.problem(
        fmt::format("is {} and minimum_pairs is {}: give at least as many", plan.maximum_pairs, plan.minimum_pairs));
  }
  const Node alpha = field(fields, "alpha", missing);
  read_real(alpha, plan.alpha, {0, 1, true});
  if (const Node test = fields.optional("test"); test.present()) {  // Policies stored before knew one.
    plan.test = static_cast<task::PairedTest>(test.word(task::paired_test_names()));
  }
  if (plan.test == task::PairedTest::evidence && plan.maximum_pairs < stats::least_values_for_evidence(plan.alpha)) {
    most.problem(
        fmt::format("is {}: evidence at most nearly doubles with each pair, and cannot reach 2 / alpha = {:g} by then: "
                    "allow {} pairs",
                    plan.maximum_pairs, 2 / plan.alpha, stats::least_values_for_evidence(plan.alpha)));
  }
  read_int(field(fields, "samples_per_pair", missing), plan.samples_per_pair, 1, kMostSamples);
  read_real(field(fields, "minimum_effect", missing), plan.minimum_effect, {0, 0.99, false});
  read_real(fields.optional("futility"), plan.futility, {0, 0.99, false});  // Policies stored before had none.
  read_real(field(fields, "maximum_regression", missing), plan.maximum_regression, {0, 1, false});
  read_real(field(fields, "check_fraction", missing), plan.check_fraction, {0, 1, false});
  if (const Node self = fields.optional("self_comparison"); self.present()) {  // None where nothing is said.
    plan.self_comparison = self.boolean();
  }
  read_int(fields.optional("stress_trials"), plan.stress_trials, 0, kMostSamples);    // Stored before: the default.
  if (const Node sanitizers = fields.optional("sanitizers"); sanitizers.present()) {  // None where nothing is said.
    plan.sanitizers = task::read_sanitizers(sanitizers);
  }
  read_milliseconds(field(fields, "call_limit_ms", missing), plan.call_limit);
  read_milliseconds(field(fields, "load_limit_ms", missing), plan.load_limit);
  read_milliseconds(field(fields, "build_limit_ms", missing), plan.build_limit);
  const Node memory = field(fields, "worker_memory_bytes", missing);
  if (memory.present()) {
    constexpr std::uint64_t kLeast = std::uint64_t{16} << 20U;
    plan.worker_memory_bytes = memory.unsigned_integer();
    if (plan.worker_memory_bytes < kLeast) {
      memory.problem(
          fmt::format("is {}: give at least {} (16 MiB), or no worker can start", plan.worker_memory_bytes, kLeast));
    }
  }
}

// A bound that so many trials could not reach even if all went well is a policy under which nothing is ever promoted.
void check_reachable(const Node& node, double bound, const ReplayRule& rule) {
  if (bound < 1) {
    const std::int64_t needed = stats::trials_for_bound(bound, stats::kVerdictConfidence);
    if (rule.trials < needed) {
      node.problem(
          fmt::format("is {:g}, for which {} clean trials are needed, and trials is {}: give as many, or accept "
                      "a larger failure rate",
                      bound, needed, rule.trials));
    }
  }
}

ReplayRule read_replay(const Node& node, Missing missing) {
  constexpr Range kRate = {1e-7, 1, false};
  ReplayRule rule;
  Fields fields(node);
  read_int(field(fields, "trials", missing), rule.trials, 0, 1'000'000);
  const Node bound = field(fields, "failure_bound", missing);
  read_real(bound, rule.failure_bound, kRate);
  check_reachable(bound, std::clamp(rule.failure_bound, kRate.minimum, kRate.maximum), rule);
  const Node bounds = field(fields, "failure_bounds", missing);
  if (bounds.present()) {
    for (const auto& [name, member] : bounds.entries()) {
      double& of_operator = rule.failure_bounds.emplace_back(name, 1).second;
      read_real(member, of_operator, kRate);
      check_reachable(member, std::clamp(of_operator, kRate.minimum, kRate.maximum), rule);
    }
  }
  fields.refuse_others();
  return rule;
}

}  // namespace

Policy read_policy(const Node& node, Missing missing) {
  Policy policy;
  Fields fields(node);
  const Node version = fields.required("version");
  read_int(version, policy.version, 0, 1'000'000);
  if (version.present() && policy.version != kPolicyVersion) {
    version.problem(fmt::format("is {}; this Assay reads version {}", policy.version, kPolicyVersion));
  }
  const Node name = field(fields, "name", missing);
  if (name.present()) {
    policy.name = name.text(task::TextRule::non_empty);
  }
  const Node approval = field(fields, "approval", missing);
  if (approval.present()) {
    policy.approval = approval.word(kApprovals) == 0 ? Approval::policy : Approval::person;
  }
  read_int(field(fields, "sweeps_per_round", missing), policy.sweeps_per_round, 1, 1000);
  if (const Node sandbox = fields.optional("minimum_sandbox"); sandbox.present()) {  // Policies stored before had none.
    policy.gate.minimum_sandbox = static_cast<base::SandboxLevel>(sandbox.word(base::kSandboxLevels));
    policy.sweep.minimum_sandbox = policy.gate.minimum_sandbox;
  }
  // One method for the whole of a campaign: what the gate says of a candidate and what the sweep says must be the same
  // quantity. Policies stored before had neither.
  if (const Node clock = fields.optional("clock"); clock.present()) {
    policy.gate.clock = static_cast<base::TimingMethod>(clock.word(base::kTimingMethods));
    policy.sweep.clock = policy.gate.clock;
  }
  if (const Node cache = fields.optional("cache"); cache.present()) {
    policy.gate.cache = static_cast<base::CacheState>(cache.word(base::kCacheStates));
    policy.sweep.cache = policy.gate.cache;
  }

  const Node gate = field(fields, "gate", missing);
  Fields gate_fields(gate);
  read_int(field(gate_fields, "workloads", missing), policy.gate_workloads, 1, 1000);
  read_plan_fields(gate_fields, policy.gate, missing);
  gate_fields.refuse_others();

  const Node sweep = field(fields, "sweep", missing);
  Fields sweep_fields(sweep);
  read_plan_fields(sweep_fields, policy.sweep, missing);
  sweep_fields.refuse_others();

  if (const Node replay = fields.optional("replay"); replay.present()) {  // Policies stored before had none.
    policy.replay = read_replay(replay, missing);
  }

  const Node guards = field(fields, "guards", missing);
  Fields guard_fields(guards);
  read_real(field(guard_fields, "maximum_mean_regression", missing), policy.maximum_mean_regression, {0, 1, false});
  read_real(field(guard_fields, "maximum_p95_regression", missing), policy.maximum_p95_regression, {0, 1, false});
  guard_fields.refuse_others();

  if (const Node injections = fields.optional("injections"); injections.present()) {  // None where nothing is said.
    Fields injection_fields(injections);
    read_real(field(injection_fields, "null_rate", missing), policy.injections.null_rate, {0, 1, false});
    read_real(field(injection_fields, "null_sweep_share", missing), policy.injections.null_sweep_share, {0, 1, false});
    read_real(field(injection_fields, "slower_rate", missing), policy.injections.slower_rate, {0, 1, false});
    injection_fields.refuse_others();
  }

  fields.refuse_others();
  return policy;
}

Json encode(const Policy& policy) {
  Json gate = {{"workloads", policy.gate_workloads}};
  const Json plan = task::encode(policy.gate);
  for (const auto& [key, value] : plan.items()) {
    gate[key] = value;
  }
  Json sweep = task::encode(policy.sweep);
  for (Json* fields : {&gate, &sweep}) {
    if (!fields->contains("sanitizers")) {  // A plan says nothing where there are none, a policy says that.
      (*fields)["sanitizers"] = Json::array();
    }
    if (!fields->contains("self_comparison")) {
      (*fields)["self_comparison"] = false;
    }
  }
  gate["test"] = to_string(policy.gate.test);
  sweep["test"] = to_string(policy.sweep.test);
  for (const char* of_both : {"minimum_sandbox", "clock", "cache"}) {  // They stand on top.
    gate.erase(of_both);
    sweep.erase(of_both);
  }
  Json bounds = Json::object();
  for (const auto& [name, bound] : policy.replay.failure_bounds) {
    bounds[name] = bound;
  }
  Json json = {{"version", policy.version},
               {"name", policy.name},
               {"approval", std::string(to_string(policy.approval))},
               {"sweeps_per_round", policy.sweeps_per_round},
               {"minimum_sandbox", base::to_string(policy.gate.minimum_sandbox)},
               {"gate", std::move(gate)},
               {"sweep", std::move(sweep)},
               {"replay",
                {{"trials", policy.replay.trials},
                 {"failure_bound", policy.replay.failure_bound},
                 {"failure_bounds", std::move(bounds)}}},
               {"guards",
                {{"maximum_mean_regression", policy.maximum_mean_regression},
                 {"maximum_p95_regression", policy.maximum_p95_regression}}}};
  const Injections& injections = policy.injections;
  if (injections.null_rate > 0 || injections.slower_rate > 0) {  // So that what was stored before is what it is now.
    json["injections"] = {{"null_rate", injections.null_rate},
                          {"null_sweep_share", injections.null_sweep_share},
                          {"slower_rate", injections.slower_rate}};
  }
  if (policy.gate.clock) {
    json["clock"] = base::to_string(*policy.gate.clock);
  }
  if (policy.gate.cache != base::CacheState::cold) {
    json["cache"] = base::to_string(policy.gate.cache);
  }
  return json;
}

base::Result<Policy> decode_policy(const Json& json, std::string_view source) {
  return task::as_result(task::decode_whole(json, task::Coercion::strict,
                                            [](const Node& node) { return read_policy(node, Missing::refuse); }),
                         source);
}

}  // namespace assay::promote
