#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/promote/policy.hpp>

namespace assay::control {

/// One decision of a campaign's journal, taken again by another policy on the same samples.
struct DecisionUnderPolicy {
  std::int64_t sequence = 0;  ///< Of the evaluation's intent.
  std::string evaluation;
  std::string purpose;
  std::string subject;     ///< "candidate 3 (name)".
  std::string recorded;    ///< "better", or of a sweep "promote".
  std::string other;       ///< The same by the other policy; empty: see `unmeasured`.
  std::string unmeasured;  ///< What would have had to be measured for it; empty: nothing.
};

/// What became of one candidate in the campaign that the other policy leads to.
struct CandidateUnderPolicy {
  int number = 0;
  std::string name;
  std::string recorded;  ///< "better, promoted"; empty: the recorded campaign had no such candidate.
  std::string other;     ///< Empty: the other campaign has no such candidate, or stopped before.
};

/// A campaign under another policy, as far as what was measured reaches.
struct PolicyReplay {
  std::string campaign;
  std::string policy;
  std::string recorded_policy;
  std::vector<DecisionUnderPolicy> decisions;    ///< Each on its own, in the order of the journal.
  std::vector<CandidateUnderPolicy> candidates;  ///< By what they are, not by number.
  std::string recorded_incumbent;                ///< Names.
  std::string incumbent;
  std::string phase;                   ///< Of the other campaign at its end.
  std::optional<std::string> stopped;  ///< Why it could not be followed to its end; absent: it could.
};

/// Decides again, offline. First each evaluation of the journal by itself, as the other policy's rules decide what was
/// measured for it. Then the campaign from its beginning: what is gated, swept, promoted and confirmed follows from those
/// decisions, until one needs a measurement that does not exist. Injections are made at the rates of the record, and
/// budgets are not held: neither decides anything here. `scratch` is an existing folder.
[[nodiscard]] base::Result<PolicyReplay> replay_under_policy(const archive::Archive& archive,
                                                             const std::string& campaign, const promote::Policy& policy,
                                                             const os::Path& scratch);

[[nodiscard]] base::Json encode(const PolicyReplay& replay);

}  // namespace assay::control
