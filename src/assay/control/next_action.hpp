#pragma once

#include <optional>
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
  std::optional<Amounts> most = std::nullopt;  ///< What is set aside for it.
};

/// Journal the proposals of this round; 0 is the supplied candidates.
struct Propose {
  int round = 0;
};

/// Have the candidates of the last round summarised.
struct Conclude {};

/// Let the policy promote the candidate that won its sweep.
struct PromoteByPolicy {
  int candidate = 0;
};

/// Journal what the state says already: an outrun candidate, an alarm, a warning.
struct Note {
  Entry entry;
};

/// Take the place from the incumbent whose confirmation failed.
struct Demote {
  int candidate = 0;
};

/// Make the solution of this injection, and journal it with its name and identity.
struct Inject {
  InjectionMade made;
};

/// Write the last event.
struct Finish {};

/// Nothing is to be done until a person answers, or ever.
struct Stop {};

using Action = std::variant<Start, Evaluate, Propose, Conclude, PromoteByPolicy, Note, Demote, Inject, Finish, Stop>;

/// Decides what comes next. Pure: the whole order of a campaign is here.
[[nodiscard]] Action next_action(const CampaignState& state, const CampaignConfiguration& configuration);

/// Names an evaluation: "<campaign>-<number>-<measure|gate|sweep|confirm|nullgate|nullsweep|slowergate>-<attempt>"; of
/// the last three the number is the injection's.
[[nodiscard]] std::string evaluation_id(const std::string& campaign, Purpose purpose, int candidate, int attempt);

}  // namespace assay::control
