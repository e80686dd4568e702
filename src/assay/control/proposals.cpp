#include <assay/control/proposals.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <assay/base/digest.hpp>
#include <assay/control/memory.hpp>
#include <assay/task/known_sources.hpp>

namespace assay::control {
namespace {

std::optional<Duplicate> find_duplicate(const task::KnownSources& known, const task::CandidateIdentity& identity) {
  const auto repeat = known.find(identity);
  if (!repeat) {
    return std::nullopt;
  }
  return Duplicate{repeat->of,
                   repeat->sameness == task::SourceSameness::content ? Sameness::content : Sameness::normalised};
}

// "m  1..8" names the regime "m 1..8"; what names none is about all of them, whatever it calls them.
std::string known_regime(const CampaignState& state, const std::string& named) {
  const std::string key = task::route_key(named);
  const auto found = std::find_if(state.regimes.begin(), state.regimes.end(),
                                  [&](const promote::Regime& regime) { return task::route_key(regime.name) == key; });
  return found == state.regimes.end() ? "all" : found->name;
}

// What a proposal states, in the words of this campaign.
std::optional<task::Hypothesis> stated_by(const CampaignState& state, const agent::Proposal& proposal) {
  if (!proposal.stated || proposal.tests) {
    return std::nullopt;
  }
  return in_known_regime(state, *proposal.stated);
}

// The hypothesis of an earlier event that a proposal may still test; of two proposals the first has it.
std::optional<int> tested_before(const CampaignState& state, const agent::Proposal& proposal,
                                 const CandidatesProposed& entry) {
  const int number = proposal.tests.value_or(0);
  const bool taken = std::any_of(entry.candidates.begin(), entry.candidates.end(),
                                 [&](const ProposedCandidate& other) { return other.tests == number; });
  const bool known = number >= 1 && static_cast<std::size_t>(number) <= state.memory.hypotheses.size();
  return known && !taken && !state.memory.hypothesis(number).candidate ? std::optional(number) : std::nullopt;
}

// Another program that takes a closed route again.
std::optional<Duplicate> find_repeat(const CampaignState& state, const std::optional<task::Hypothesis>& hypothesis) {
  if (!hypothesis) {
    return std::nullopt;
  }
  const auto repeat = repeated_route(state.memory, state.incumbent_number(), *hypothesis);
  return repeat ? std::optional(Duplicate{repeat->route.candidate, Sameness::route}) : std::nullopt;
}

std::string measured_text(const CampaignState& state, int number) {
  if (number == 0 || static_cast<std::size_t>(number) > state.candidates.size()) {
    return {};
  }
  const std::optional<LogRatio>& ratio = state.candidate(number).gate_log_ratio;
  return ratio ? fmt::format(" (it measured {})", task::effect_text({ratio->mean, ratio->lower, ratio->upper}))
               : std::string();
}

}  // namespace

task::Hypothesis in_known_regime(const CampaignState& state, task::Hypothesis hypothesis) {
  hypothesis.regime = known_regime(state, hypothesis.regime);
  return hypothesis;
}

CandidatesProposed number_proposals(const CampaignState& state, const CampaignConfiguration& configuration, int round,
                                    std::string proposer, const std::vector<agent::Proposal>& proposals) {
  task::KnownSources known;
  known.add(0, task::identify(configuration.baseline));
  for (const CandidateState& candidate : state.candidates) {
    known.add(candidate.number, candidate.identity);
  }
  int number = static_cast<int>(state.candidates.size());
  CandidatesProposed entry;
  entry.round = round;
  entry.proposer = std::move(proposer);
  int hypotheses = static_cast<int>(state.memory.hypotheses.size());
  for (const agent::Proposal& proposal : proposals) {
    ProposedCandidate candidate;
    candidate.number = ++number;
    candidate.name = proposal.solution.name;
    candidate.identity = task::identify(proposal.solution);
    candidate.parameters = proposal.solution.parameters;
    candidate.hypothesis = proposal.hypothesis;
    candidate.parent = proposal.parent;
    candidate.duplicate = find_duplicate(known, candidate.identity);
    std::optional<task::Hypothesis> hypothesis = stated_by(state, proposal);
    candidate.tests = hypothesis ? std::optional(++hypotheses) : tested_before(state, proposal, entry);
    if (!hypothesis && candidate.tests) {
      hypothesis = state.memory.hypothesis(*candidate.tests).stated;
    }
    if (!candidate.duplicate) {
      candidate.duplicate = find_repeat(state, hypothesis);
    }
    known.add(candidate.number, candidate.identity);
    entry.candidates.push_back(std::move(candidate));
  }
  return entry;
}

std::vector<Entry> round_entries(const CampaignState& state, const CampaignConfiguration& configuration, int round,
                                 const std::string& proposer, const std::vector<agent::Proposal>& proposals) {
  std::vector<Entry> entries;
  int number = static_cast<int>(state.memory.hypotheses.size());
  for (const agent::Proposal& proposal : proposals) {
    if (auto hypothesis = stated_by(state, proposal)) {
      entries.emplace_back(HypothesisStated{++number, proposer, std::move(*hypothesis)});
    }
  }
  entries.emplace_back(number_proposals(state, configuration, round, proposer, proposals));
  return entries;
}

std::string describe(const Duplicate& duplicate, std::optional<int> tests, const CampaignState& state) {
  if (duplicate.sameness == Sameness::route && tests &&
      static_cast<std::size_t>(*tests) <= state.memory.hypotheses.size()) {
    const auto repeat = repeated_route(state.memory, state.incumbent_number(), state.memory.hypothesis(*tests).stated);
    return repeat ? repeat->why + "; nothing was run" : describe(duplicate);
  }
  return describe(duplicate) + measured_text(state, duplicate.of);
}

std::string describe(const Duplicate& duplicate) {
  const std::string other = duplicate.of == 0 ? "the baseline" : fmt::format("candidate {}", duplicate.of);
  switch (duplicate.sameness) {
    case Sameness::content:
      return fmt::format("the same bytes as {}; nothing was run", other);
    case Sameness::machine_code:
      return fmt::format("the same machine code as {}; nothing was run", other);
    case Sameness::route:
      return fmt::format("the closed route of {}; nothing was run", other);
    case Sameness::normalised:
      break;
  }
  return fmt::format("the same as {} after comments and blank space; nothing was run", other);
}

std::vector<agent::Proposal> supplied_proposals(const CampaignConfiguration& configuration) {
  std::vector<agent::Proposal> proposals;
  for (const task::Solution& solution : configuration.supplied) {
    proposals.push_back({solution, {"all", "unknown", "supplied by hand", "not stated"}, std::nullopt});
  }
  return proposals;
}

}  // namespace assay::control
