#include <assay/promote/policy.hpp>

#include <assay/base/device_name.hpp>

namespace assay::promote {
namespace {

using std::chrono::milliseconds;

// For a laptop and a demonstration: answers within minutes, at the price of many `indistinguishable`.
Policy quick() {
  Policy policy;
  policy.name = "quick";
  policy.gate_workloads = 3;
  policy.gate.minimum_pairs = 3;
  policy.gate.maximum_pairs = 5;
  policy.gate.samples_per_pair = 2;
  policy.gate.alpha = 0.05;
  policy.gate.minimum_effect = 0.02;
  policy.gate.futility = 0.05;
  policy.gate.maximum_regression = 0.10;
  policy.gate.stress_trials = 8;
  policy.gate.check_fraction = 0.1;  // warm-up calls are checked anyway, and the sweep checks more
  policy.sweep = policy.gate;
  policy.sweep.futility = 0;
  policy.sweep.check_fraction = 0.25;
  policy.sweep.stress_trials = 32;
  policy.sweep.maximum_pairs = 6;
  policy.sweep.samples_per_pair = 2;
  policy.sweep.maximum_regression = 0.05;
  policy.maximum_mean_regression = 0.0;
  policy.maximum_p95_regression = 0.10;
  policy.sweeps_per_round = 1;
  policy.approval = Approval::policy;
  return policy;
}

// For a number that will be shipped: smaller effects, smaller errors, and a person who answers for it.
Policy standard() {
  Policy policy = quick();
  policy.name = "standard";
  policy.gate_workloads = 5;
  policy.gate.maximum_pairs = 8;
  policy.gate.samples_per_pair = 5;
  policy.gate.minimum_effect = 0.01;
  policy.gate.check_fraction = 0.25;
  policy.gate.stress_trials = 32;
  policy.gate.maximum_regression = 0.05;
  policy.gate.self_comparison = true;
  policy.sweep = policy.gate;
  policy.sweep.futility = 0.02;
  policy.sweep.minimum_pairs = 5;
  policy.sweep.maximum_pairs = 24;
  policy.sweep.test = task::PairedTest::evidence;
  policy.sweep.stress_trials = 256;
  policy.sweep.alpha = 0.01;
  policy.sweep.maximum_regression = 0.03;
  policy.replay = {1500, 0.0025, {}};
  policy.maximum_p95_regression = 0.05;
  policy.sweeps_per_round = 2;
  policy.approval = Approval::person;
  policy.injections = {.null_rate = 0.25, .null_sweep_share = 0.5, .slower_rate = 0.1};
  return policy;
}

// For the last word before others depend on it: gains of a fraction of a percent are told from noise, by up to sixteen times
// as many process pairs as `quick` takes.
Policy release() {
  Policy policy = standard();
  policy.name = "release";
  policy.gate_workloads = 8;
  policy.gate.minimum_effect = 0.005;
  policy.gate.maximum_pairs = 12;
  policy.sweep.minimum_effect = 0.002;
  policy.sweep.maximum_pairs = 96;
  policy.sweep.check_fraction = 0.5;
  policy.sweep.stress_trials = 1024;
  policy.sweep.maximum_regression = 0.02;
  policy.replay = {4000, 0.001, {}};
  policy.maximum_p95_regression = 0.02;
  policy.sweeps_per_round = 1;
  policy.injections = {.null_rate = 0.5, .null_sweep_share = 0.5, .slower_rate = 0.2};
  return policy;
}

}  // namespace

std::string_view to_string(Approval approval) {
  switch (approval) {
    case Approval::policy:
      return "policy";
    case Approval::person:
      return "person";
  }
  return "person";
}

task::SessionPlan plan_on(std::string_view device, task::SessionPlan plan) {
  constexpr int kMoreOnGpu = 4;
  const auto name = base::parse_device_name(device);
  if (name && name->kind == base::DeviceName::Kind::cuda) {
    plan.samples_per_pair *= kMoreOnGpu;
  }
  return plan;
}

double failure_bound(const Policy& policy, const task::Definition& definition) {
  const double* found = task::find(policy.replay.failure_bounds, definition.name);
  found = found != nullptr ? found : task::find(policy.replay.failure_bounds, definition.op_type);
  return found != nullptr ? *found : policy.replay.failure_bound;
}

std::vector<std::string> built_in_policy_names() { return {"quick", "standard", "release"}; }

std::optional<Policy> built_in_policy(std::string_view name) {
  if (name == "quick") {
    return quick();
  }
  if (name == "standard") {
    return standard();
  }
  if (name == "release") {
    return release();
  }
  return std::nullopt;
}

}  // namespace assay::promote
