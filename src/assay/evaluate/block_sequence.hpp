#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/evaluate/block_look.hpp>
#include <assay/evaluate/block_maker.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/call_runner.hpp>
#include <assay/evaluate/pair_processes.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/evaluate/stage_clock.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::evaluate {

/// Runs the blocks of a process pair one after the other: decides when what they see is made, when each call is made, and
/// when it is looked at what calls have left. On a device most of that happens while it works: the next block is made
/// during the calls of one, and what was found of one is read before the next call. The first thing that is wrong becomes
/// the pair's fault, after which nothing more is run. Errors are the machine's.
class BlockSequence {
 public:
  /// Of processes that are ready to be called. All of it is lent and outlives the sequence.
  BlockSequence(const Session& session, std::int32_t pair, PairProcesses& processes, base::Philox& random,
                StageClock& clock, PairResult& result);

  /// Makes what the first block sees.
  [[nodiscard]] base::Result<void> begin(const measure::ScheduledCall& first);

  /// Runs the block that was made, its calls being the `order`th of the pair and those after it, and makes that of the call
  /// that follows, if one does. Calls live as long as the sequence.
  [[nodiscard]] base::Result<void> run(std::span<const measure::ScheduledCall> calls, std::int32_t order,
                                       const measure::ScheduledCall* following);

  /// What the call saw that the fault is of: one of the block that ran last, or of the block before it.
  [[nodiscard]] task::FailingInput failing_input();

 private:
  [[nodiscard]] base::Result<void> run_block(std::span<const measure::ScheduledCall> calls, std::int32_t order,
                                             CallBlock& block, const measure::ScheduledCall* following);
  [[nodiscard]] base::Result<void> run_call(const measure::ScheduledCall& call, std::int32_t order, CallBlock& block);
  [[nodiscard]] base::Result<bool> look_at(CallBlock& block, WhichBlock which);
  [[nodiscard]] base::Result<bool> look_back_at(CallBlock& before);
  [[nodiscard]] base::Result<void> finish_block_before();
  [[nodiscard]] base::Result<void> blame_for_inputs(const CallBlock& block);
  void note_least_work(const CallBlock& block);
  [[nodiscard]] bool may_finish_later() const;
  [[nodiscard]] bool is_official() const { return session_.purpose == Session::Purpose::official; }

  using Stage = StageClock::Stage;
  const Session& session_;
  std::int32_t pair_;
  base::Timing timing_;
  PairProcesses& processes_;
  StageClock& clock_;
  PairResult& result_;
  BlockLook look_{session_, result_};
  std::array<CallBlock, 2> blocks_;  ///< Of now, and of before or after.
  std::size_t now_ = 0;
  CallBlock* unfinished_ = nullptr;  ///< The block before, of which the last look is still to come …
  const measure::ScheduledCall* failed_late_ = nullptr;  ///< … and its call, if that has found something.
  BlockMaker maker_;                                     // A thread of its works on the others: after them.
  CallRunner runner_;
};

}  // namespace assay::evaluate
