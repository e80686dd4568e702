#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/evaluate/block_look.hpp>
#include <assay/evaluate/block_maker.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/pair_processes.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/evaluate/stage_clock.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/worker/client.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::evaluate {

/// A call that may be made at once: what it is given has arrived, and its worker is awake.
struct ReadyCall {
  measure::ScheduledCall call;
  SideProcess* side = nullptr;
  worker::Call description;
  std::unique_ptr<CallOutputs> outputs;
};

/// Makes the calls of a process pair, one after the other: each in two steps, `make_ready` and `make`, between which the
/// judge reads what it had found of earlier calls, for the worker needs that time to wake up. What a side does wrong becomes
/// the pair's fault, after which no more is asked here; times are recorded there. Errors are the machine's.
class CallRunner {
 public:
  /// Of processes that are ready to be called. All of it is lent and outlives the runner; the maker may still be to be made.
  CallRunner(const Session& session, std::int32_t pair, PairProcesses& processes, BlockMaker& maker,
             base::Philox& random, StageClock& clock, PairResult& result);

  /// Has the calls of a block captured, of a session that is timed by graphs: before a device sees the block's contents, for
  /// what is captured can depend on the arguments' places and shapes alone.
  [[nodiscard]] base::Result<void> capture(std::span<const measure::ScheduledCall> calls, const CallBlock& block);

  /// Prepares a call's outputs and caches and wakes its worker, once all that the checker began has arrived. Nothing: there
  /// is a fault now.
  [[nodiscard]] base::Result<std::optional<ReadyCall>> make_ready(const measure::ScheduledCall& call, CallBlock& block);

  /// Makes the call, the `order`th of the pair, and adds it to those that the block has done, unless there is a fault now.
  [[nodiscard]] base::Result<void> make(ReadyCall ready, std::int32_t order, CallBlock& block);

 private:
  [[nodiscard]] base::Result<void> heat(const measure::ScheduledCall& call, CallBlock& block);
  void prepare(const measure::ScheduledCall& call, const CallBlock& block, const base::Timing& how);
  void evict(const SideProcess& side, const CallBlock& block) const;
  [[nodiscard]] std::optional<worker::Call> describe(const SideProcess& side, const CallBlock& block,
                                                     const base::Timing& how);
  void note_failure(const worker::Failure& failure, const measure::ScheduledCall& call, const CallBlock& block);
  void hear(const SideProcess& side, std::int32_t workload, const worker::CallReply& reply);
  void record(const measure::ScheduledCall& call, std::int32_t order, const worker::WorkerClient::TimedReply& reply,
              const SideProcess& side);
  void note_idle(const measure::ScheduledCall& call, const worker::CallReply& reply);
  [[nodiscard]] bool is_watched(const measure::ScheduledCall& call) const;
  [[nodiscard]] OutputPreparation preparation_of(const measure::ScheduledCall& call) const;
  [[nodiscard]] SideProcess& side_of(const measure::ScheduledCall& call) const;
  [[nodiscard]] const SideProcess* other_side_of(const measure::ScheduledCall& call) const;
  [[nodiscard]] std::chrono::nanoseconds limit_of(const measure::ScheduledCall& call) const;

  using Stage = StageClock::Stage;
  const Session& session_;
  std::int32_t pair_;
  base::Timing timing_;
  PairProcesses& processes_;
  BlockMaker& maker_;
  base::Philox& random_;
  StageClock& clock_;
  PairResult& result_;
};

}  // namespace assay::evaluate
