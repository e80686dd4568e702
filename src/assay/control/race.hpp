#pragma once

#include <optional>
#include <variant>

#include <assay/control/events.hpp>
#include <assay/control/state.hpp>
#include <assay/promote/policy.hpp>

namespace assay::control {

/// The race of a round: the winners of its gates, all measured against one incumbent on the same representatives, so
/// that their intervals can be held against each other. Sweeps cost many times what gates do; the race decides who gets
/// one.
///
/// Runners are ordered by the gain that is sure (the lower end of the interval of the gain), then by the estimate, then
/// by number. The first of those left is swept, while the policy has sweeps for the round. As soon as one has won its
/// sweep and was promoted, every other whose largest possible gain lies below what that winner surely gains is outrun.
/// A leader that lost its sweep outruns nobody: those behind it are still in the race. When the sweeps are used up, the
/// rest is out. A winner's own sweep is not held against gates: it is about other workloads.
///
/// A winner that its confirmation demoted has outrun nobody, and its sweep is not counted: the others of its round, which
/// passed their gates against the incumbent that is back, are in the race again.

/// Sweep this candidate.
struct SweepNext {
  int candidate = 0;
};

using RaceStep = std::variant<SweepNext, CandidateOutrun>;

/// Says what the race of the newest round, all of whose candidates have been gated, does next, or that of the round whose
/// winner was demoted last; nothing: it is over.
/// Pure.
[[nodiscard]] std::optional<RaceStep> race_step(const CampaignState& state, const promote::Policy& policy);

/// Whether all of `slower`'s interval lies above all of `faster`'s.
[[nodiscard]] bool outruns(const LogRatio& faster, const LogRatio& slower);

}  // namespace assay::control
