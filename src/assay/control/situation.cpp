#include <assay/control/situation.hpp>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include <assay/agent/working_folder.hpp>
#include <assay/control/agent_runs.hpp>
#include <assay/control/ledger.hpp>
#include <assay/control/memory.hpp>
#include <assay/control/supervision.hpp>
#include <assay/task/solution.hpp>

namespace assay::control {
namespace {

constexpr double kPerCent = 100;

std::vector<agent::RegimeFact> regime_facts(const CampaignState& state) {
  std::vector<agent::RegimeFact> facts;
  for (const promote::Regime& regime : state.regimes) {
    agent::RegimeFact fact;
    fact.name = regime.name;
    fact.workloads = regime.members.size();
    fact.baseline_ns = state.baseline_ns[regime.representative];
    fact.latency_share = regime.latency_share;
    if (const auto headroom = newest_evidence(state.memory, task::EvidenceKind::headroom, regime.name)) {
      fact.headroom = std::exp(headroom->value);
      fact.floor_limit = headroom->word;
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

std::vector<agent::RouteFact> route_facts(const CampaignState& state) {
  std::vector<agent::RouteFact> facts;
  for (const Route& route : failed_routes(state.memory, state.incumbent_number())) {
    facts.push_back(
        {route.candidate, route.stated, route.test.effect, is_closed(route.standing), retry_conditions(route)});
  }
  return facts;
}

std::vector<std::string> contract_lines(const CampaignConfiguration& configuration) {
  const promote::Policy& policy = configuration.policy;
  return {
      fmt::format(
          "Better is: {:.2g} % faster than the incumbent, surely, on {} representatives (the gate), and then on "
          "all {} workloads (the sweep).",
          kPerCent * policy.gate.minimum_effect, policy.gate_workloads, configuration.workloads.size()),
      fmt::format("No workload may become slower by more than {:.2g} %, and none may be wrong.",
                  kPerCent * policy.sweep.maximum_regression),
      fmt::format("At most {} files, {} KiB together; the entry point stays {}.", agent::kMostSources,
                  agent::kMostSourceBytes >> 10U, configuration.baseline.spec.entry_point),
  };
}

std::vector<std::string> reference_lines(const CampaignConfiguration& configuration, const CampaignState& state) {
  std::vector<std::string> lines = {
      "What is right: the reference implementation, in state.json at /definition/reference.",
      fmt::format("The baseline: {}, in {}.", configuration.baseline.name,
                  task::to_string(configuration.baseline.spec.language)),
  };
  if (state.incumbent) {
    const CandidateState& incumbent = state.candidate(*state.incumbent);
    lines.push_back(fmt::format("The incumbent: candidate {} ({}).", incumbent.number, incumbent.name));
  }
  return lines;
}

}  // namespace

std::vector<agent::AxisFact> varying_axes(const std::vector<task::Workload>& workloads) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const task::Workload& workload : workloads) {
    for (const auto& [axis, value] : workload.axes) {
      values[axis].insert(value);
    }
  }
  std::vector<agent::AxisFact> axes;
  for (const auto& [axis, seen] : values) {
    if (seen.size() > 1) {
      axes.push_back({axis, *seen.begin(), *seen.rbegin(), seen.size()});
    }
  }
  return axes;
}

agent::Situation situation_of(const CampaignConfiguration& configuration, const CampaignState& state) {
  agent::Situation situation;
  situation.definition = configuration.definition;
  situation.device = configuration.device;
  situation.interface = "They keep their entry point, " + configuration.baseline.spec.entry_point + ".";
  situation.regimes = regime_facts(state);
  situation.axes = varying_axes(configuration.workloads);
  if (const auto noise = newest_evidence(state.memory, task::EvidenceKind::noise_floor, "all")) {
    situation.noise_floor = std::expm1(noise->value);
  }
  situation.contract = contract_lines(configuration);
  situation.routes = route_facts(state);
  for (const HypothesisState& hypothesis : next_hypotheses(state.memory)) {
    situation.hypotheses.push_back(hypothesis.stated);
  }
  situation.references = reference_lines(configuration, state);
  for (const Resource resource : {Resource::micro_dollars, Resource::tokens, Resource::device_ms, Resource::wall_ms}) {
    if (const auto left = state.ledger.left(resource)) {
      situation.remaining.push_back(amount_text(resource, *left));
    }
  }
  situation.roles = role_memory(state);
  situation.notes = notes_for_proposer(state);
  situation.start_from = state.supervision.parent;
  situation.incumbent = state.incumbent_number();
  return situation;
}

}  // namespace assay::control
