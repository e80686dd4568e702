#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/failure_posterior.hpp>

namespace assay::stats {

/// What is known, before the first trial of a candidate, about one stratum: a workload, or a workload with one kind of
/// input.
struct ReplayStratum {
  double weight = 1;       ///< Share of the calls in use, or the harm of a failure here; >= 0, only ratios matter.
  std::size_t regime = 0;  ///< Strata of one regime are expected to fail alike. Any number.
  TrialCount of_operator;  ///< Of all earlier candidates for the operator.
  TrialCount of_siblings;  ///< Of those that share code with this one; not counted in of_operator.
  std::vector<std::uint64_t> failing_seeds;  ///< Of inputs on which any candidate failed, ever.
};

/// How the next trial's stratum is chosen. Either maximises over strata weight times a failure rate: the expected one
/// (then each trial has the largest chance of finding a failure that is believed), or one drawn from the belief (Thompson,
/// "On the likelihood that one unknown probability exceeds another", 1933), which spreads ties and near ties.
enum class ReplayRule : std::uint8_t { expected_detection, thompson };

struct ReplayOptions {
  ReplayRule rule = ReplayRule::expected_detection;
  double even_share =
      0.2;  ///< Of the trials, spread evenly over all strata, so that new defects are found too; in [0.2, 1].
  double operator_discount = 0.3;  ///< What a trial of another candidate says about this one.
  double sibling_discount = 0.5;
  double regime_discount = 0.1;  ///< What the mean stratum of a regime says about each other one, on top.
  /// How many failures of its own the history of siblings, that of the operator and that of a regime may each stand for, where
  /// they saw most. More is discounted further, the history as a whole: where it points stays, and the candidate's own clean
  /// trials outweigh it as soon as they would one candidate's failure. Without that a defect which many siblings shared takes
  /// all but the even share, and one that only this candidate has goes unseen.
  double believed_failures = 0.5;
};

/// Returns what is believed about each stratum: a Beta(0.1, 1) prior, updated by history with its discounts, none of which
/// lets history count for more failures than believed_failures.
[[nodiscard]] std::vector<FailureBelief> beliefs_from_history(std::span<const ReplayStratum> strata,
                                                              const ReplayOptions& options);

/// One trial to make.
struct ReplayTrial {
  std::size_t stratum = 0;
  std::optional<std::uint64_t> seed;  ///< Of an input that failed before; otherwise a new one.
};

/// Plans `budget` trials in their order, for one that stops at the first failure: each seed that ever failed first, then
/// new inputs. Of any first so many of these at least even_share (rounded up) are spread evenly, so that no two strata
/// differ by more than one there; the others follow the rule, and each counts as clean for the choice of the next, since a
/// failure would have ended the run. A budget below the number of failing seeds is raised to it. Deterministic for a
/// given state of `random`, which also orders the strata of the even share.
[[nodiscard]] std::vector<ReplayTrial> plan_replay(std::span<const ReplayStratum> strata, std::size_t budget,
                                                   const ReplayOptions& options, base::Philox& random);

}  // namespace assay::stats
