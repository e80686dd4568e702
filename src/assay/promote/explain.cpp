#include <fmt/format.h>

#include <cmath>

#include <assay/promote/policy.hpp>
#include <assay/stats/binomial_bound.hpp>
#include <assay/stats/failure_words.hpp>
#include <assay/stats/self_comparison.hpp>
#include <assay/stats/symmetric_evidence.hpp>

namespace assay::promote {
namespace {

std::string percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

std::string limits(const task::SessionPlan& plan) {
  return fmt::format(
      "{} trials on difficult inputs, then {} to {} process pairs, {} timed calls of each workload and side in each; "
      "error {} over all looks",
      plan.stress_trials, plan.minimum_pairs, plan.maximum_pairs, plan.samples_per_pair, percent(plan.alpha));
}

// Which test, what it leans on, and what it takes to convince it.
std::string test_words(std::string_view stage, const task::SessionPlan& plan) {
  if (plan.test == task::PairedTest::student_t) {
    return fmt::format(
        "The {} is tested by Student's t after each pair, its error split over the {} looks: quick, and right as long "
        "as "
        "pairs scatter nearly normally.",
        stage, plan.maximum_pairs - plan.minimum_pairs + 1);
  }
  return fmt::format(
      "The {} is tested by evidence that may be looked at after every pair and assumes no more than that a pair's "
      "noise is "
      "as often above as below: a copy of the incumbent is promoted in at most {} of sessions, and no effect, however "
      "large, "
      "is shown by fewer than {} pairs.",
      stage, percent(plan.alpha / 2), stats::least_values_for_evidence(plan.alpha));
}

// In processes and calls, which the device turns into time.
std::string cost_words(std::string_view stage, const task::SessionPlan& plan, std::string_view workloads) {
  const int processes = (plan.self_comparison ? 4 : 2) * plan.maximum_pairs;
  return fmt::format(
      "A {} costs at most {} processes and {} timed calls on each of {}, besides as many warm-up calls as there are "
      "processes times workloads{}{}.",
      stage, processes, processes * plan.samples_per_pair, workloads,
      plan.self_comparison ? " (half of all that for the incumbent against itself)" : "",
      plan.futility > 0
          ? fmt::format("; it ends early once a gain has become less probable than {}", percent(plan.futility))
          : std::string());
}

// What the sweep can see, where a pair's log-ratio has the spread that two processes with one kernel have on real devices.
std::string resolution_words(const task::SessionPlan& plan) {
  constexpr double kUsualSpread = 0.01;
  const auto taken = [&plan](double gain) {
    return stats::pairs_to_find(std::log1p(-plan.minimum_effect) - std::log1p(-gain), kUsualSpread, plan.alpha);
  };
  // To a tenth of a percent: the smallest gain that the cap suffices for.
  double gain = plan.minimum_effect;
  do {
    gain += 0.001;
  } while (gain < 0.9 && taken(gain) > plan.maximum_pairs);
  return fmt::format(
      "Where a pair's ratio scatters by {}, as two processes with the same kernel do, a sweep finds a gain of {} in 95 "
      "of 100 "
      "sessions, with up to {} pairs.",
      percent(kUsualSpread), percent(gain), taken(gain));
}

// What is sent through although its answer is known, how often, and what it costs.
void explain_injections(const Policy& policy, std::vector<std::string>& sentences) {
  const Injections& injections = policy.injections;
  if (injections.null_rate > 0) {
    sentences.push_back(fmt::format(
        "After a round, with a chance of {}, a copy of the incumbent goes through the gate as a candidate would (null "
        "injection), and in {} of these cases, or if the gate calls it better, through a sweep; it can never be "
        "promoted, "
        "and if the rules would have done so the campaign raises an alarm.",
        percent(injections.null_rate), percent(injections.null_sweep_share)));
  }
  if (injections.slower_rate > 0) {
    sentences.push_back(
        fmt::format("After a round, with a chance of {}, the baseline goes through the gate, once the incumbent surely "
                    "beats it by far "
                    "(positive control); a gate that does not see the loser is warned of.",
                    percent(injections.slower_rate)));
  }
  if (injections.null_rate > 0 || injections.slower_rate > 0) {
    sentences.push_back(fmt::format("In the mean that costs {:.3g} gates and {:.3g} sweeps a round.",
                                    injections.null_rate + injections.slower_rate,
                                    injections.null_rate * injections.null_sweep_share));
  } else {
    sentences.emplace_back(
        "No null injections and no positive controls are made (injections.null_rate, injections.slower_rate): that the "
        "rules do not promote what is not faster is not tried out on this machine.");
  }
}

// What must be known of a winner's correctness, and what that costs.
std::string replay_words(const Policy& policy) {
  const ReplayRule& rule = policy.replay;
  if (rule.trials == 0) {
    return "No replay: a winner is promoted on the calls that its sweep checked, whatever bound they give; the "
           "decision "
           "says it.";
  }
  std::string text = fmt::format(
      "Replay: a sweep that came out better is followed by {} trials on new inputs, each checked and none timed: most "
      "where "
      "earlier candidates failed, at least a fifth spread evenly; one failure, and the candidate is incorrect. It "
      "costs as "
      "many calls and references, once for each such sweep and once for the confirmation.",
      rule.trials);
  const auto bound = [](double rate) {
    return fmt::format("{} ({} clean trials spread evenly)", percent(rate),
                       stats::trials_for_bound(rate, stats::kVerdictConfidence));
  };
  if (rule.failure_bound < 1) {
    text += fmt::format(" A promotion needs the failure rate bounded by {} with {:g} % confidence.",
                        bound(rule.failure_bound), 100 * stats::kVerdictConfidence);
  }
  for (const auto& [name, rate] : rule.failure_bounds) {
    text +=
        rate < 1 ? fmt::format(" For {} it is {}.", name, bound(rate)) : fmt::format(" For {} none is needed.", name);
  }
  return text;
}

}  // namespace

std::vector<std::string> explain(const Policy& policy) {
  std::vector<std::string> sentences;
  sentences.push_back(
      fmt::format("Gate: up to {} representative workloads; {}.", policy.gate_workloads, limits(policy.gate)));
  sentences.push_back(fmt::format("A candidate passes the gate if it is faster than the incumbent by more than {}.",
                                  percent(policy.gate.minimum_effect)));
  sentences.push_back(test_words("gate", policy.gate));
  sentences.push_back(cost_words("gate", policy.gate, fmt::format("{} workloads", policy.gate_workloads)));
  sentences.push_back(fmt::format("Sweep: all workloads, in a new session, for at most {} gate winner{} a round; {}.",
                                  policy.sweeps_per_round, policy.sweeps_per_round == 1 ? "" : "s",
                                  limits(policy.sweep)));
  sentences.emplace_back(
      "Gate winners of a round race for its sweeps, the surest gain first; one whose largest possible gain lies below "
      "what "
      "a sibling that won its sweep surely gains is outrun, and not swept.");
  if (policy.gate.self_comparison || policy.sweep.self_comparison) {
    sentences.push_back(fmt::format(
        "The {} also {} the incumbent against a copy of itself, as often: a gain counts only if it is larger than what "
        "this shows, and nothing counts where it tells the two apart by more than the effect that matters: such a "
        "session is nobody's loss and held again, three times a run.",
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
  sentences.push_back(test_words("sweep", policy.sweep));
  if (policy.sweep.test == task::PairedTest::evidence) {
    sentences.push_back(resolution_words(policy.sweep));
    sentences.push_back(fmt::format(
        "A campaign spends that error over all its sweeps (e-LOND): less with each, more after each "
        "promotion, so that at most "
        "a share of {} of its promotions is expected to be false; a later sweep may take the few pairs more "
        "that its smaller share needs.",
        percent(policy.sweep.alpha / 2)));
  }
  sentences.push_back(cost_words("sweep", policy.sweep, "the definition's workloads"));
  if (policy.sweep.stress_trials > 0) {
    sentences.push_back(fmt::format(
        "{} clean trials on difficult inputs bound the rate of failures on such inputs by {} with 95 % confidence; one "
        "failure ends an evaluation.",
        policy.sweep.stress_trials, percent(stats::failure_rate_upper_bound(0, policy.sweep.stress_trials, 0.95))));
  }
  sentences.push_back(replay_words(policy));
  sentences.emplace_back(
      "Inputs on which earlier candidates failed are kept for ever and replayed before anything else, under every "
      "policy.");
  sentences.push_back(policy.approval == Approval::policy
                          ? fmt::format("A winner becomes the incumbent at once, by policy {}.", policy.name)
                          : std::string("A winner waits until a person approves it."));
  sentences.emplace_back(
      "At the end the incumbent meets the baseline in a new session, by the rules of a sweep, and that number alone is "
      "reported; if it is not better there it is demoted, and the incumbent before it is confirmed instead.");
  explain_injections(policy, sentences);
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
