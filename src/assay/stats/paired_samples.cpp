#include <assay/stats/paired_samples.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <assay/base/error.hpp>
#include <assay/stats/holm.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/stats/t_test.hpp>
#include <assay/stats/waiting.hpp>

namespace assay::stats {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Samples of one side, by workload, or by pair and workload.
using Buckets = std::vector<std::vector<double>>;

std::size_t index_of(int value) { return static_cast<std::size_t>(value); }

double median_or_missing(const std::vector<double>& values) { return values.empty() ? kMissing : median(values); }

// NaN unless both are above 0: every comparison with a NaN is false.
double log_ratio_of(double candidate_ns, double incumbent_ns) {
  return candidate_ns > 0 && incumbent_ns > 0 ? std::log(candidate_ns / incumbent_ns) : kMissing;
}

std::vector<double> medians(const Buckets& buckets) {
  std::vector<double> values(buckets.size());
  std::transform(buckets.begin(), buckets.end(), values.begin(), median_or_missing);
  return values;
}

}  // namespace

std::vector<double> PairedTable::of_workload(int workload) const {
  ASSAY_CHECK(workload >= 0 && workload < workloads);
  std::vector<double> values;
  for (int pair = 0; pair < pairs; ++pair) {
    const double value = log_ratio[index_of(pair) * index_of(workloads) + index_of(workload)];
    if (!std::isnan(value)) {
      values.push_back(value);
    }
  }
  return values;
}

PairedTable tabulate(std::span<const PairedSample> samples, int pairs, int workloads) {
  ASSAY_CHECK(pairs >= 0 && workloads >= 0);
  const std::size_t columns = index_of(workloads);
  const std::size_t cells = index_of(pairs) * columns;
  Buckets cell_candidate(cells);
  Buckets cell_incumbent(cells);
  Buckets all_candidate(columns);
  Buckets all_incumbent(columns);
  for (const PairedSample& sample : samples) {
    ASSAY_CHECK(sample.pair >= 0 && sample.workload >= 0 && sample.workload < workloads);
    if (sample.pair >= pairs || std::isnan(sample.elapsed_ns)) {
      continue;
    }
    const std::size_t cell = index_of(sample.pair) * columns + index_of(sample.workload);
    (sample.candidate ? cell_candidate : cell_incumbent)[cell].push_back(sample.elapsed_ns);
    (sample.candidate ? all_candidate : all_incumbent)[index_of(sample.workload)].push_back(sample.elapsed_ns);
  }

  PairedTable table;
  table.pairs = pairs;
  table.workloads = workloads;
  table.candidate_ns = medians(all_candidate);
  table.incumbent_ns = medians(all_incumbent);
  table.log_ratio.resize(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    table.log_ratio[cell] =
        log_ratio_of(median_or_missing(cell_candidate[cell]), median_or_missing(cell_incumbent[cell]));
  }
  for (std::size_t pair = 0; pair < index_of(pairs); ++pair) {
    const std::span<const double> row = std::span<const double>(table.log_ratio).subspan(pair * columns, columns);
    const bool complete =
        !row.empty() && std::none_of(row.begin(), row.end(), [](double value) { return std::isnan(value); });
    table.pair_log_ratios.push_back(complete ? mean(row) : kMissing);
  }
  return table;
}

Testimony hear_witness(std::span<const PairedSample> samples, int pairs, int workloads, double alpha) {
  const std::size_t cells = index_of(pairs) * index_of(workloads);
  struct Cell {
    std::vector<double> own;
    std::vector<double> witness;
  };
  std::vector<Cell> candidate(cells);
  std::vector<Cell> incumbent(cells);
  for (const PairedSample& sample : samples) {
    ASSAY_CHECK(sample.pair >= 0 && sample.workload >= 0 && sample.workload < workloads);
    if (sample.pair >= pairs) {
      continue;
    }
    if (!(sample.witness_ns > 0)) {
      return Testimony::none;
    }
    Cell& cell =
        (sample.candidate ? candidate
                          : incumbent)[index_of(sample.pair) * index_of(workloads) + index_of(sample.workload)];
    cell.own.push_back(sample.elapsed_ns);
    cell.witness.push_back(sample.witness_ns);
  }
  std::vector<double> surplus;
  for (int pair = 0; pair < pairs; ++pair) {
    double sum = 0;
    for (int workload = 0; workload < workloads; ++workload) {
      const std::size_t at = index_of(pair) * index_of(workloads) + index_of(workload);
      const double base = median_or_missing(incumbent[at].own);
      const double claimed = (base - median_or_missing(candidate[at].own)) / base;
      const double seen = (median_or_missing(incumbent[at].witness) - median_or_missing(candidate[at].witness)) / base;
      sum += seen - claimed / 2;
    }
    surplus.push_back(sum / workloads);
  }
  const bool whole = std::all_of(surplus.begin(), surplus.end(), [](double value) { return std::isfinite(value); });
  if (surplus.size() < 2 || !whole) {
    return Testimony::unclear;
  }
  const PairedInterval interval = t_interval(surplus, 2 * alpha < 1 ? 2 * alpha : alpha);
  return interval.lower > 0 ? Testimony::confirmed : interval.upper < 0 ? Testimony::contradicted : Testimony::unclear;
}

std::vector<WorkloadGuard> guard_workloads(const PairedTable& table, double alpha, double maximum_regression) {
  ASSAY_CHECK(maximum_regression >= 0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double bound = std::log1p(maximum_regression);
  std::vector<WorkloadGuard> guards;
  std::vector<double> p_values;
  for (int workload = 0; workload < table.workloads; ++workload) {
    const std::vector<double> values = table.of_workload(workload);
    WorkloadGuard guard;
    if (values.size() < 2) {
      guard = {false, values.empty() ? kMissing : values.front(), -kInfinity, kInfinity};
      p_values.push_back(1);
    } else {
      const PairedInterval interval = t_interval(values, alpha);
      guard = {false, interval.mean, interval.lower, interval.upper};
      p_values.push_back(p_value_mean_above(values, bound));
    }
    guards.push_back(guard);
  }
  const std::vector<bool> rejected = holm_rejections(p_values, alpha);
  for (std::size_t workload = 0; workload < guards.size(); ++workload) {
    guards[workload].failed = rejected[workload];
  }
  return guards;
}

PairedComparison compare_pairs(std::span<const PairedSample> samples, int pairs, int workloads, const PairedRule& rule,
                               double maximum_regression) {
  PairedComparison comparison;
  comparison.table = tabulate(samples, pairs, workloads);
  const std::vector<double>& ratios = comparison.table.pair_log_ratios;
  const auto missing = std::find_if(ratios.begin(), ratios.end(), [](double value) { return std::isnan(value); });
  comparison.complete = missing == ratios.end();
  // An incomplete pair has no place in the sequence, and none after it can be trusted to be the next.
  comparison.decision = decide_paired(std::span<const double>(ratios.begin(), missing), rule);
  if (comparison.complete && comparison.decision.pairs_used < pairs) {
    comparison.table = tabulate(samples, comparison.decision.pairs_used, workloads);
  }
  comparison.guards = guard_workloads(comparison.table, rule.alpha, maximum_regression);
  if (!comparison.complete) {
    return comparison;
  }
  const bool guarded = std::any_of(comparison.guards.begin(), comparison.guards.end(),
                                   [](const WorkloadGuard& guard) { return guard.failed; });
  comparison.conclusion = guarded ? PairedConclusion::not_better : comparison.decision.conclusion;
  if (comparison.conclusion == PairedConclusion::better) {
    // From the look that decided on, until the witness is clear. Who was contradicted once is confirmed at no later look,
    // whatever excused it.
    bool excused = false;
    for (int heard = comparison.table.pairs; heard <= pairs; ++heard) {
      comparison.testimony = hear_witness(samples, heard, workloads, alpha_per_look(rule));
      if (comparison.testimony == Testimony::contradicted && rule.waiting_level > 0 &&
          waiting_explains(samples, heard, workloads, rule.waiting_level / look_count(rule))) {
        comparison.testimony = Testimony::unclear;
        excused = true;
      } else if (comparison.testimony == Testimony::confirmed && excused) {
        comparison.testimony = Testimony::unclear;
      }
      if (comparison.testimony != Testimony::unclear) {
        break;
      }
    }
    if (comparison.testimony == Testimony::unclear || comparison.testimony == Testimony::contradicted) {
      comparison.conclusion = PairedConclusion::undecided;
    }
  }
  return comparison;
}

}  // namespace assay::stats
