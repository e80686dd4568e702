#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/foreign/evaluation.hpp>
#include <assay/foreign/noise.hpp>
#include <assay/supervise/marks.hpp>

namespace assay::foreign {

/// Lists the evaluations of one trace in the order of its search: by restart of the controller, iteration, round and
/// candidate. Those whose place in it is not recorded come first in what is known of it.
[[nodiscard]] std::vector<std::size_t> search_order(const TraceArchive& archive, const std::string& trace);

/// A trace as the supervisor sees it. An attempt is an evaluation whose iteration is recorded: what has no place in the search
/// cannot have a before and after. `attempts[i]` is the evaluation of the history's attempt i, whose number is i + 1.
struct SearchHistory {
  supervise::History history;
  std::vector<std::size_t> attempts;
};

/// Turns a trace into a history. An improvement is a success that is faster than the best before it by more than the noise of a
/// comparison (ComparisonNoise) and the minimum effect; only such a one takes its place, so that gains inside the noise add up
/// until they are beyond it. The controller's own promotions are claims. Where the reference moves by more than
/// kEnvironmentFactor another environment begins, and with it another best: nothing is compared across.
/// Nothing can be told without a noise, so the history is empty where no code was ever measured twice.
[[nodiscard]] SearchHistory search_history(const TraceArchive& archive, const std::string& trace,
                                           const ComparisonNoise& noise);

/// A gain below this is not worth having.
inline constexpr double kSearchMinimumEffect = 0.005;

}  // namespace assay::foreign
