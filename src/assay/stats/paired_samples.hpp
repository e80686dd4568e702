#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/stats/paired_decision.hpp>

namespace assay::stats {

/// One timed call of a paired session. The caller leaves warm-up calls out.
struct PairedSample {
  int pair = 0;      ///< Process pair, from 0.
  int workload = 0;  ///< From 0.
  bool candidate = false;
  double elapsed_ns = 0;
  double witness_ns =
      0;  ///< The same call by the clock of whoever judges, command and answer included; 0: no such clock.
};

/// What a second clock says about the gain that the first one claims.
enum class Testimony : std::uint8_t {
  none,          ///< Some sample lacks the second time.
  confirmed,     ///< Surely at least half of the claimed saving is seen by the second clock too.
  unclear,       ///< Neither.
  contradicted,  ///< Surely less than half of it is, and waiting does not explain it (waiting.hpp).
};

/// Hears the second clock. For each pair the saving (incumbent minus candidate, medians of each cell, relative to the
/// incumbent's time by the first clock, mean over workloads) is taken by both clocks: what surrounds a call is the same
/// on both sides and cancels in a difference, where a ratio would be diluted. Student's t over pairs of (second saving -
/// half the first), one-sided `alpha` each way. A clock that runs where the candidate runs can be bent; this one cannot.
[[nodiscard]] Testimony hear_witness(std::span<const PairedSample> samples, int pairs, int workloads, double alpha);

/// A session's samples, reduced to what decisions need. Log-ratios are log(candidate / incumbent): below 0 is
/// faster.
struct PairedTable {
  int pairs = 0;
  int workloads = 0;
  std::vector<double> log_ratio;  ///< pairs x workloads, row-major; of medians. NaN where a side has no usable sample.
  std::vector<double> pair_log_ratios;  ///< One a pair: the mean over workloads; NaN if any of its cells is.
  std::vector<double> candidate_ns;     ///< One a workload: median over all its samples; NaN if there are none.
  std::vector<double> incumbent_ns;

  /// Returns the log-ratios of one workload over the pairs, without the missing ones.
  [[nodiscard]] std::vector<double> of_workload(int workload) const;
};

/// Tabulates samples. Those of pairs beyond `pairs` are left out, so that the judge and `promote` can both
/// stop at the pair that decided; a negative pair or a workload out of range is a bug of the caller and
/// aborts. A median that is not above 0 has no logarithm: its cell counts as missing.
[[nodiscard]] PairedTable tabulate(std::span<const PairedSample> samples, int pairs, int workloads);

/// What the guard says about one workload.
struct WorkloadGuard {
  bool failed = false;
  double mean = 0;   ///< Of the log-ratios over pairs; NaN without any.
  double lower = 0;  ///< Student's t interval at two-sided alpha, not adjusted; infinite below two pairs.
  double upper = 0;
};

/// Tests for each workload, one-sided, whether it is slower by more than `maximum_regression` (relative, >=
/// 0): Student's t over pairs, Holm over workloads, so that `alpha` in (0, 1) bounds the chance of accusing
/// any innocent workload. A workload with fewer than two pairs is not accused: whether one is missing is for
/// the caller to ask.
[[nodiscard]] std::vector<WorkloadGuard> guard_workloads(const PairedTable& table, double alpha,
                                                         double maximum_regression);

/// A whole session under its rule.
struct PairedComparison {
  bool complete = false;              ///< Every pair has every workload on both sides. Otherwise nothing is concluded.
  PairedTable table;                  ///< Of the pairs up to the look that decided; of all if incomplete.
  PairedDecision decision;            ///< The sequential rule alone.
  std::vector<WorkloadGuard> guards;  ///< Over the same pairs; looked at once, they never stop a session.
  /// If the rule says `better`: over its pairs, or over as many more as it takes until the witness is clear.
  Testimony testimony = Testimony::none;
  /// The rule's conclusion, but `not_better` where a guard failed, and `undecided` where there is a second clock that
  /// does not confirm a `better`: what decides the outcome.
  PairedConclusion conclusion = PairedConclusion::undecided;
};

/// Compares. The judge calls it after each pair and stops when `decision` concludes; `promote` calls it once
/// with all pairs and gets the same answer, because the rule is replayed pair by pair.
[[nodiscard]] PairedComparison compare_pairs(std::span<const PairedSample> samples, int pairs, int workloads,
                                             const PairedRule& rule, double maximum_regression);

}  // namespace assay::stats
