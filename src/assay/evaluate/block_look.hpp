#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/pair_processes.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/operators/argument.hpp>

namespace assay::evaluate {

/// One side's call that has returned.
struct DoneCall {
  SideProcess* side = nullptr;
  std::unique_ptr<CallOutputs> outputs;
  bool guard_checked = false;
};

/// Calls that see the same contents: both sides of a comparison, or one side alone.
struct CallBlock {
  verify::Layout layout;
  std::int32_t workload = 0;
  task::AxisValues axes;
  std::vector<operators::Argument> arguments;
  std::vector<DoneCall> done;
  const measure::ScheduledCall* first = nullptr;
  bool is_new = false;        ///< No call of this pair has seen these contents before.
  bool is_checked = false;    ///< Whether its outputs are held against the reference …
  bool is_looked_at = false;  ///< … and that and the look at its inputs have begun and are still to be read.
};

/// Makes this the pair's fault: findings, at least one, about a side and perhaps a workload.
void note_fault(PairResult& result, const SideProcess& side, task::Outcome outcome,
                std::optional<std::int32_t> workload, std::vector<task::Finding> findings);

/// Looks at what the calls of a block have left. What is wrong becomes the pair's fault; what is right is counted there.
/// Session and result outlive it.
class BlockLook {
 public:
  BlockLook(const Session& session, PairResult& result) : session_(session), result_(result) {}

  /// Looks once at the bytes around the outputs of each call so far.
  [[nodiscard]] base::Result<void> check_guards(CallBlock& block);
  /// Holds the outputs against the reference.
  [[nodiscard]] base::Result<void> begin_check(const CallBlock& block) const;
  [[nodiscard]] base::Result<void> check(const CallBlock& block);
  /// Whether the check will look at the image of the inputs.
  [[nodiscard]] base::Result<bool> is_in_doubt(const CallBlock& block) const;
  /// Whether the check will ask how exact the candidate is: once a workload and pair, and for that the check must be over
  /// before the next block begins.
  [[nodiscard]] bool measures_errors(const CallBlock& block) const;
  /// Keeps what the calls left, and of the one that repeats an earlier one's contents tells whether it left the same.
  [[nodiscard]] base::Result<void> compare_with_repeat(const measure::ScheduledCall& call, const CallBlock& block);
  /// The last look: outputs that are no longer what they were when the call returned. Begun for all calls of the block,
  /// before any of its outputs are prepared again.
  [[nodiscard]] base::Result<void> begin_last_look(const CallBlock& block) const;
  [[nodiscard]] base::Result<void> finish_last_look(const CallBlock& block);
  /// Of a chain: what this step left is what the next one starts from.
  [[nodiscard]] base::Result<void> go_on(const CallBlock& block) const;

 private:
  [[nodiscard]] base::Result<void> measure_errors(const CallBlock& block, const DoneCall& done);

  const Session& session_;
  PairResult& result_;
  std::vector<bool> has_measured_;  ///< How exact the candidate is, by workload.
};

}  // namespace assay::evaluate
