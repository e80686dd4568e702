#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <assay/task/constraint.hpp>

namespace assay::task {

/// What became of one constraint over many workloads. A violated constraint refuses nothing: published datasets have
/// workloads that break their own definition's constraints, and those that use them must know which.
struct ConstraintSummary {
  std::string constraint;
  std::size_t workloads = 0;
  std::size_t violated = 0;
  std::size_t unknown = 0;
  std::string first_violated;  ///< The uuid of the first workload that breaks it, and with which values.
  std::string first_unknown;   ///< The uuid of the first one where it was not evaluated, and why.
};

/// Makes the reader of one workload's tensors; an empty one where there are no contents.
using ElementSource = std::function<ElementReader(const Workload& workload)>;

/// Evaluates every constraint of a definition for every workload, in the definition's order.
[[nodiscard]] std::vector<ConstraintSummary> summarise_constraints(const Definition& definition,
                                                                   std::span<const Workload> workloads,
                                                                   const ElementSource& contents = {});

/// Says it in one sentence: "the constraint "…" is violated in 12 of 54 workloads (first …)".
[[nodiscard]] std::string describe(const ConstraintSummary& summary);

}  // namespace assay::task
