#include <assay/control/evaluation_costs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::control {
namespace {

using std::chrono::milliseconds;

constexpr std::array<Resource, 2> kOfEvaluations = {Resource::device_ms, Resource::wall_ms};
// To kill a judge and read what it still says.
constexpr milliseconds kTimeToStop{1000};
constexpr double kMillisecondsPerSecond = 1000;

std::int64_t rounded_up(std::chrono::nanoseconds time) { return std::chrono::ceil<milliseconds>(time).count(); }

Amounts of_time(std::int64_t device_ms, std::int64_t wall_ms) {
  Amounts amounts;
  amounts[Resource::device_ms] = std::clamp<std::int64_t>(device_ms, 0, kLargestAmount);
  amounts[Resource::wall_ms] = std::clamp<std::int64_t>(wall_ms, 0, kLargestAmount);
  return amounts;
}

bool has_limit(const Budget& budget) {
  return std::any_of(kOfEvaluations.begin(), kOfEvaluations.end(),
                     [&](Resource one) { return budget[one].has_value(); });
}

bool over_all_workloads(Purpose purpose) {
  return purpose == Purpose::sweep || purpose == Purpose::confirmation || purpose == Purpose::null_sweep;
}

// What the dearest of the kind took. Of a sweep, before there was any: the baseline's two pairs were one side of two.
Amounts expected(const CampaignState& state, const CampaignConfiguration& configuration, Purpose purpose) {
  const auto seen = [&](Purpose of) {
    const auto found = state.dearest.find(of);
    return found == state.dearest.end() ? std::optional<Amounts>() : std::optional(found->second);
  };
  if (const auto own = seen(purpose)) {
    return *own;
  }
  if (!over_all_workloads(purpose)) {
    return {};
  }
  if (const auto sweep = seen(Purpose::sweep)) {
    return *sweep;
  }
  Amounts amounts = seen(Purpose::baseline).value_or(Amounts());
  for (const Resource resource : kOfEvaluations) {
    amounts[resource] = std::min(amounts[resource] * configuration.policy.sweep.minimum_pairs, kLargestAmount);
  }
  return amounts;
}

bool of_search(Purpose purpose) { return purpose != Purpose::baseline && purpose != Purpose::confirmation; }

}  // namespace

Affordability affordability(const CampaignState& state, const CampaignConfiguration& configuration, Purpose purpose) {
  Affordability result;
  const Budget& budget = state.ledger.budget();  // As it was raised since.
  if (state.ledger.left(Resource::human_seconds) == 0) {
    result.refusal = fmt::format("of the budget of {} nothing is left: a person has to decide how to go on",
                                 amount_text(Resource::human_seconds, *budget[Resource::human_seconds]));
    return result;
  }
  if (!has_limit(budget)) {
    return result;
  }
  result.most.emplace();
  const bool something_to_confirm = of_search(purpose) && (state.incumbent || purpose == Purpose::sweep);
  const Amounts kept = something_to_confirm ? expected(state, configuration, Purpose::confirmation) : Amounts();
  const Amounts own = of_search(purpose) ? expected(state, configuration, purpose) : Amounts();
  for (const Resource resource : kOfEvaluations) {
    const auto left = state.ledger.left(resource);
    if (!left) {
      continue;
    }
    const std::int64_t may = *left - kept[resource];
    if (may <= 0 || may < own[resource]) {
      result.refusal = fmt::format(
          "of the budget of {} there is {} left, and it is expected to take {}{}",
          amount_text(resource, *budget[resource]), amount_text(resource, *left), amount_text(resource, own[resource]),
          something_to_confirm ? fmt::format(", the confirmation {}", amount_text(resource, kept[resource])) : "");
      return result;
    }
    (*result.most)[resource] = may;
  }
  return result;
}

Amounts kept_for_judging(const CampaignState& state, const CampaignConfiguration& configuration) {
  Amounts kept = expected(state, configuration, Purpose::gate);
  if (state.incumbent) {
    const Amounts confirmation = expected(state, configuration, Purpose::confirmation);
    for (std::size_t i = 0; i < kResources; ++i) {
      kept.values[i] += confirmation.values[i];
    }
  }
  return kept;
}

Amounts cost_of(const std::string& device, const task::Evaluation& evaluation, const std::vector<task::Sample>& samples,
                const std::optional<std::chrono::nanoseconds>& lap) {
  if (simulated_seed(device)) {
    std::chrono::nanoseconds clock{};
    for (const task::Sample& sample : samples) {
      clock += std::chrono::nanoseconds(std::max<std::int64_t>(sample.elapsed_ns, 0));
    }
    return of_time(rounded_up(clock), rounded_up(clock));
  }
  const auto held = static_cast<std::int64_t>(std::ceil(evaluation.wall_seconds * kMillisecondsPerSecond));
  return of_time(held, lap ? rounded_up(*lap) : held);
}

Amounts cost_of_failure(const std::optional<std::chrono::nanoseconds>& lap) {
  const std::int64_t took = lap ? rounded_up(*lap) : 0;
  return of_time(took, took);
}

std::optional<std::chrono::nanoseconds> allowed_time(const CampaignConfiguration& configuration,
                                                     const std::optional<Amounts>& most) {
  if (!most || simulated_seed(configuration.device)) {
    return std::nullopt;
  }
  const Budget budget = budget_of(configuration);
  std::optional<std::chrono::nanoseconds> least;
  for (const Resource resource : kOfEvaluations) {
    if (budget[resource]) {
      const milliseconds may((*most)[resource]);
      const std::chrono::nanoseconds until = std::max(may - kTimeToStop, may / 2);
      least = std::min(least.value_or(until), until);
    }
  }
  return least;
}

bool passes(const CampaignConfiguration& configuration, const std::optional<Amounts>& most, const Amounts& spent) {
  const Budget budget = budget_of(configuration);
  return most && std::any_of(kOfEvaluations.begin(), kOfEvaluations.end(),
                             [&](Resource one) { return budget[one] && spent[one] > (*most)[one]; });
}

}  // namespace assay::control
