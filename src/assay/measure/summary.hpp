#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/stats/paired_decision.hpp>
#include <assay/stats/paired_samples.hpp>
#include <assay/stats/self_comparison.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::measure {

/// Medians per workload and, with an incumbent, paired log-ratios with their intervals. `pairs`: how many complete
/// process pairs the samples hold.
[[nodiscard]] std::vector<task::WorkloadTiming> summarise(const task::EvaluationRequest& request,
                                                          const std::vector<task::Sample>& samples, int pairs);

/// The comparison after `pairs` process pairs, by the plan's rule and guards.
struct Judgement {
  task::Comparison comparison;
  bool stop = false;  ///< The rule has decided, or the cap is reached.
  stats::PairedConclusion conclusion = stats::PairedConclusion::undecided;
  stats::Testimony testimony = stats::Testimony::none;      ///< Of the judge's own clock about a `better`.
  stats::Standing standing = stats::Standing::above_noise;  ///< Where the plan has the incumbent timed against itself.
};
[[nodiscard]] Judgement judge(const task::EvaluationRequest& request, const std::vector<task::Sample>& samples,
                              int pairs);

/// The rule that a plan describes.
[[nodiscard]] stats::PairedRule rule_of(const task::SessionPlan& plan);

/// Holds the worker's times against the judge's clock. Returns a sentence if they cannot be reconciled: a call that
/// took longer than command and answer together, or a candidate all of whose calls spend much more time outside the
/// reported window than the incumbent's need in the same session, more of them than a machine would delay by chance that
/// delays so many of the incumbent's.
[[nodiscard]] std::optional<std::string> reconcile(const std::vector<task::Sample>& samples);

}  // namespace assay::measure
