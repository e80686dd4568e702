#include <assay/promote/policy.hpp>

#include <fmt/format.h>

#include <assay/base/device_name.hpp>
#include <assay/base/text.hpp>

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
  policy.sweep.futility = 0;
  policy.sweep.minimum_pairs = 5;
  policy.sweep.maximum_pairs = 12;
  policy.sweep.stress_trials = 256;
  policy.sweep.alpha = 0.01;
  policy.sweep.maximum_regression = 0.03;
  policy.maximum_p95_regression = 0.05;
  policy.sweeps_per_round = 2;
  policy.approval = Approval::person;
  return policy;
}

std::string percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

std::string limits(const task::SessionPlan& plan) {
  return fmt::format(
      "{} trials on difficult inputs, then {} to {} process pairs, {} timed calls of each workload and side in each; "
      "error {} over all looks",
      plan.stress_trials, plan.minimum_pairs, plan.maximum_pairs, plan.samples_per_pair, percent(plan.alpha));
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

std::vector<std::string> built_in_policy_names() { return {"quick", "standard"}; }

std::optional<Policy> built_in_policy(std::string_view name) {
  if (name == "quick") {
    return quick();
  }
  if (name == "standard") {
    return standard();
  }
  return std::nullopt;
}

std::vector<std::string> explain(const Policy& policy) {
  std::vector<std::string> sentences;
  sentences.push_back(
      fmt::format("Gate: up to {} representative workloads; {}.", policy.gate_workloads, limits(policy.gate)));
  sentences.push_back(fmt::format("A candidate passes the gate if it is faster than the incumbent by more than {}.",
                                  percent(policy.gate.minimum_effect)));
  sentences.push_back(fmt::format("Sweep: all workloads, in a new session, for at most {} gate winner{} a round; {}.",
                                  policy.sweeps_per_round, policy.sweeps_per_round == 1 ? "" : "s",
                                  limits(policy.sweep)));
  if (policy.gate.self_comparison || policy.sweep.self_comparison) {
    sentences.push_back(fmt::format(
        "The {} also {} the incumbent against a copy of itself, as often: a gain counts only if it is larger than what "
        "this shows, and nothing counts where it tells the two apart by more than the effect that matters.",
        !policy.gate.self_comparison    ? "sweep"
        : !policy.sweep.self_comparison ? "gate"
                                        : "gate and the sweep",
        policy.gate.self_comparison && policy.sweep.self_comparison ? "time" : "times"));
  }
  sentences.push_back(fmt::format(
      "A sweep wins if the candidate is faster by more than {}, no workload is slower by more than {} (lower bound, "
      "Holm), the mean latency does not rise by more than {}, and the 95th percentile of the workloads' ratios is "
      "at most {} above one.",
      percent(policy.sweep.minimum_effect), percent(policy.sweep.maximum_regression),
      percent(policy.maximum_mean_regression), percent(policy.maximum_p95_regression)));
  sentences.push_back(policy.approval == Approval::policy
                          ? fmt::format("A winner becomes the incumbent at once, by policy {}.", policy.name)
                          : std::string("A winner waits until a person approves it."));
  if (policy.gate.minimum_sandbox != base::SandboxLevel::none) {
    sentences.push_back(fmt::format("Nothing is built or run where the sandbox does not reach the level '{}'.",
                                    base::to_string(policy.gate.minimum_sandbox)));
  }
  if (policy.gate.clock) {
    sentences.push_back(fmt::format("Calls are timed by {}.", base::to_string(*policy.gate.clock)));
  }
  if (policy.gate.cache == base::CacheState::hot) {
    sentences.emplace_back("Each timed call finds its data in the caches, as an untimed call just before has left it.");
  }
  sentences.emplace_back("A tie keeps the incumbent; a missing or failed workload does too.");
  return sentences;
}

}  // namespace assay::promote
