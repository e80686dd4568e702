#include <assay/control/recorded_proposer.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <assay/control/recorded_evaluator.hpp>
#include <assay/control/stored_solution.hpp>

namespace assay::control {
namespace {

const CandidatesProposed* proposals_of(const RecordedCampaign& recorded, int round) {
  for (const std::optional<Entry>& entry : recorded.entries) {
    const auto* proposed = entry ? std::get_if<CandidatesProposed>(&*entry) : nullptr;
    if (proposed != nullptr && proposed->round == round) {
      return proposed;
    }
  }
  return nullptr;
}

}  // namespace

bool is_tuned(const RecordedCampaign& recorded) {
  return recorded.configuration.tunable.has_value() && !recorded.configuration.agent;
}

void RecordedProposer::stand_at(int round) {
  round_ = round;
  proposed_ = proposals_of(recorded_, round);
}

// Those of the round stand in the same transaction, before its proposals.
std::optional<task::Hypothesis> RecordedProposer::stated_in_round(int number) const {
  std::optional<task::Hypothesis> found;
  for (const std::optional<Entry>& entry : recorded_.entries) {
    if (const auto* stated = entry ? std::get_if<HypothesisStated>(&*entry) : nullptr) {
      if (stated->number == number) {
        found = stated->hypothesis;
      }
      continue;
    }
    if (entry && std::get_if<CandidatesProposed>(&*entry) == proposed_) {
      return found;
    }
    found.reset();
  }
  return std::nullopt;
}

std::string RecordedProposer::name() const { return proposed_ == nullptr ? "nobody" : proposed_->proposer; }

base::Result<std::vector<agent::Proposal>> RecordedProposer::propose(const std::vector<agent::Trial>& /*history*/,
                                                                     int /*count*/) {
  if (proposed_ == nullptr) {
    return base::input_error(kBeyondTheRecord, fmt::format("round {} would be proposed for, and the journal has no "
                                                           "proposals for it",
                                                           round_));
  }
  std::vector<agent::Proposal> proposals;
  for (const ProposedCandidate& candidate : proposed_->candidates) {
    agent::Proposal proposal;
    ASSAY_TRY_ASSIGN(proposal.solution, stored_solution(archive_, recorded_.configuration, candidate.identity,
                                                        candidate.name, fmt::format("candidate {}", candidate.number)));
    proposal.hypothesis = candidate.hypothesis;
    proposal.parent = candidate.parent;
    if (candidate.tests) {
      proposal.stated = stated_in_round(*candidate.tests);
      proposal.tests = proposal.stated ? std::nullopt : candidate.tests;
    }
    proposals.push_back(std::move(proposal));
  }
  return proposals;
}

}  // namespace assay::control
