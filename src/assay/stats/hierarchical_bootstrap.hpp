#pragma once

#include <vector>

#include <assay/stats/bootstrap.hpp>

namespace assay::stats {

/// Measurements as they are nested: sessions, in each process pairs, in each blocks of calls (a candidate's call and the
/// incumbent's next to it, as a log-ratio). No level may be empty; they need not be of equal size.
using NestedRatios = std::vector<std::vector<std::vector<double>>>;

/// Returns an interval for the mean over sessions of the mean over pairs of the median over blocks, by resampling sessions,
/// then the pairs of each, then the blocks of each, with replacement (Davison and Hinkley, "Bootstrap methods and their
/// application", 1997, section 3.8; for timings Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013).
/// For what is reported about a finalist, not for deciding when to stop: it holds for one look.
///
/// A level of which there is one is not resampled, and its variation is then not in the interval: over one session it
/// is an interval for that session. With few units resampling understates the spread of their mean by (n - 1) / n; the
/// deviations from the estimate are therefore widened by sqrt(n / (n - 1)), n being the units of the outermost level that
/// has more than one, and by the ratio of Student's t quantile at n - 1 degrees to the normal one.
[[nodiscard]] BootstrapInterval hierarchical_bootstrap(const NestedRatios& ratios, const BootstrapPlan& plan);

}  // namespace assay::stats
