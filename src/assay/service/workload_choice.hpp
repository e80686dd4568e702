#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/timing.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::service {

/// Looks in the archive for the newest measurement of this solution, as candidate or as incumbent, that timed every
/// one of these workloads on this device, by this method and with these caches; returns one latency a workload, in their
/// order.
[[nodiscard]] base::Result<std::optional<std::vector<double>>> measured_latencies(
    const archive::Archive& archive, const task::Solution& solution, const std::string& device,
    const base::Timing& timing, const std::vector<task::Workload>& workloads);

/// Chooses `count` representatives by the axes alone: the workloads are ordered by the product of their axes, and
/// the smallest of each of `count` equal shares of the sizes is taken: the cheapest that stands for its share, because a
/// gate is to answer soon, and a sweep measures them all. Deterministic; fewer if fewer sizes differ. Indices, ascending
/// by size.
[[nodiscard]] std::vector<std::size_t> spread_over_axes(const std::vector<task::Workload>& workloads,
                                                        std::size_t count);

/// Chooses workloads as a person asked: "gate" (representatives, from `baseline_ns` where it is known), "all", or
/// UUIDs (or unique prefixes of at least 4 characters) separated by commas. An unknown one is an error that names it.
[[nodiscard]] base::Result<std::vector<task::Workload>> choose_workloads(
    const std::vector<task::Workload>& workloads, const std::string& choice, int gate_count,
    const std::optional<std::vector<double>>& baseline_ns);

}  // namespace assay::service
