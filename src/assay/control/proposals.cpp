#include <assay/control/proposals.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <assay/base/digest.hpp>

namespace assay::control {
namespace {

struct Known {
  int number = 0;
  task::CandidateIdentity identity;
};

std::optional<Duplicate> find_duplicate(const std::vector<Known>& known, const task::CandidateIdentity& identity) {
  const auto same_content = std::find_if(known.begin(), known.end(),
                                         [&](const Known& one) { return one.identity.content == identity.content; });
  if (same_content != known.end()) {
    return Duplicate{same_content->number, Sameness::content};
  }
  const auto same_normalised = std::find_if(
      known.begin(), known.end(), [&](const Known& one) { return one.identity.normalised == identity.normalised; });
  if (same_normalised != known.end()) {
    return Duplicate{same_normalised->number, Sameness::normalised};
  }
  return std::nullopt;
}

}  // namespace

CandidatesProposed number_proposals(const CampaignState& state, const CampaignConfiguration& configuration, int round,
                                    std::string proposer, const std::vector<agent::Proposal>& proposals) {
  std::vector<Known> known{{0, task::identify(configuration.baseline)}};
  for (const CandidateState& candidate : state.candidates) {
    known.push_back({candidate.number, candidate.identity});
  }
  CandidatesProposed entry;
  entry.round = round;
  entry.proposer = std::move(proposer);
  for (const agent::Proposal& proposal : proposals) {
    ProposedCandidate candidate;
    candidate.number = static_cast<int>(known.size());  // the baseline is the zeroth
    candidate.name = proposal.solution.name;
    candidate.identity = task::identify(proposal.solution);
    candidate.parameters = proposal.solution.parameters;
    candidate.hypothesis = proposal.hypothesis;
    candidate.parent = proposal.parent;
    candidate.duplicate = find_duplicate(known, candidate.identity);
    known.push_back({candidate.number, candidate.identity});
    entry.candidates.push_back(std::move(candidate));
  }
  return entry;
}

std::string describe(const Duplicate& duplicate) {
  const std::string other = duplicate.of == 0 ? "the baseline" : fmt::format("candidate {}", duplicate.of);
  switch (duplicate.sameness) {
    case Sameness::content:
      return fmt::format("the same bytes as {}; nothing was run", other);
    case Sameness::machine_code:
      return fmt::format("the same machine code as {}; nothing was run", other);
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
