#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/admissibility.hpp>
#include <assay/task/definition.hpp>
#include <assay/verify/impostor.hpp>

namespace assay::verify {

/// Puts an operator's tolerances to the proof on inputs as in use: `calls` calls of each workload, so many perturbations
/// of each. Deterministic in `seed`. Needs no candidate. `on_workload` is told the index of each workload as it begins.
[[nodiscard]] base::Result<task::Admissibility> check_admissibility(
    const operators::Operator& op, const task::Definition& definition, std::span<const task::Workload> workloads,
    std::uint64_t seed, int calls, const std::function<void(std::size_t)>& on_workload = {});

}  // namespace assay::verify
