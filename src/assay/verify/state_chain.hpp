#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::verify {

/// Follows a chain of calls in each of which an input is what the call before left in an output (operators::Chain): the
/// candidate goes on from its own results, and the reference from its own, rounded to the output's type alone. What a call
/// may err by stays after many; an error that always has the same sign adds up and shows.
class StateChain {
 public:
  /// `op` outlives it, and has a chain.
  explicit StateChain(const operators::Operator& op);

  /// Before a call: writes what the candidate left into the input that it feeds. Nothing before the first call.
  void feed(std::span<const operators::Argument> arguments) const;

  /// After a call: takes the candidate's output from `memory`, and lets the reference make the same step from its own.
  [[nodiscard]] base::Result<void> follow(const task::AxisValues& axes, std::span<const operators::Argument> arguments,
                                          const Layout& layout, std::span<const std::byte> memory);

  /// Compares all outputs of the last call with those of the reference's chain: the first that differs, as a finding.
  [[nodiscard]] std::optional<task::Finding> check() const;

  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  const operators::Operator* op_;
  operators::Chain chain_;
  std::size_t steps_ = 0;
  task::AxisValues axes_;
  std::vector<operators::ConstArgument> inputs_;  ///< Of the reference's last step.
  Layout layout_;
  std::vector<std::byte> memory_;  ///< What the candidate left in its last call.
  std::vector<std::byte> left_by_reference_;
  std::vector<std::byte> fed_to_reference_;
  std::vector<operators::ExpectedValues> expected_;
};

}  // namespace assay::verify
