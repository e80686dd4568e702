#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/task/workload.hpp>

namespace assay::promote {

/// A region of the shape axes whose workloads behave alike, and the workload that stands for it at the gate.
struct Regime {
  std::string name;                  ///< "batch_size 1..8": the axes that vary between workloads. Unique in a campaign.
  std::vector<std::size_t> members;  ///< Indices into the workloads, ascending.
  std::size_t representative = 0;    ///< One of the members.
  double latency_share = 0;          ///< Share of the summed baseline latency.
};

/// Groups workloads by their axes, orders the groups by measured baseline latency, cuts them into at most `count` > 0
/// regimes at the widest gaps in log latency, and picks in each the group with the largest latency share (its first
/// workload). Regimes are ordered by latency and together hold each workload once. `baseline_ns` has one entry a
/// workload, all > 0. Deterministic.
[[nodiscard]] std::vector<Regime> choose_representatives(const std::vector<task::Workload>& workloads,
                                                         const std::vector<double>& baseline_ns, std::size_t count);

}  // namespace assay::promote
