#pragma once

#include <string>
#include <variant>

#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>

namespace assay::control {

/// Nothing is in the journal yet: write its first event.
struct Start {};

/// Make this evaluation. `intended`: its intent is in the journal already, from a run that was cut off.
struct Evaluate {
  PendingEvaluation target;
  bool intended = false;
};

/// Journal the proposals of this round; 0 is the supplied candidates.
struct Propose {
  int round = 0;
};

/// Let the policy promote the candidate that won its sweep.
struct PromoteByPolicy {
  int candidate = 0;
};

/// Write the last event.
struct Finish {};

/// Nothing is to be done until a person answers, or ever.
struct Stop {};

using Action = std::variant<Start, Evaluate, Propose, PromoteByPolicy, Finish, Stop>;

/// Decides what comes next. Pure: the whole order of a campaign is here.
[[nodiscard]] Action next_action(const CampaignState& state, const CampaignConfiguration& configuration);

/// Names an evaluation: "<campaign>-<number>-<measure|gate|sweep|confirm>-<attempt>".
[[nodiscard]] std::string evaluation_id(const std::string& campaign, Purpose purpose, int candidate, int attempt);

}  // namespace assay::control
