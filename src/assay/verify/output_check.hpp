#pragma once

#include <optional>
#include <span>
#include <vector>

#include <assay/operators/operator.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/tensor/comparison.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::verify {

/// Compares every output of one call with the reference, by the operator's rules. Returns one finding an output that
/// is wrong: "unwritten" where elements still hold the poison, else "mismatch" with the worst element.
[[nodiscard]] std::vector<task::Finding> check_outputs(const operators::Operator& op, const task::AxisValues& axes,
                                                       std::span<const operators::ConstArgument> inputs,
                                                       const Layout& layout, std::span<const std::byte> memory,
                                                       const OutputGuard& guard,
                                                       std::span<const operators::ExpectedValues> expected);

/// The same by the contest's own rule, for people who want both: one finding an output, always "mismatch".
[[nodiscard]] std::vector<task::Finding> check_officially(const operators::Operator& op, const task::AxisValues& axes,
                                                          std::span<const operators::ConstArgument> inputs,
                                                          const Layout& layout, std::span<const std::byte> memory,
                                                          std::span<const operators::ExpectedValues> expected);

/// Measures how far the floating outputs of one call are from the reference; nothing if no output is floating. For the
/// record alone: whether they are right is for check_outputs.
[[nodiscard]] std::optional<tensor::LargestErrors> largest_errors(const Layout& layout,
                                                                  std::span<const std::byte> memory,
                                                                  std::span<const operators::ExpectedValues> expected);

}  // namespace assay::verify
