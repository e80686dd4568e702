#include <assay/evaluate/block_sequence.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <assay/evaluate/call_findings.hpp>
#include <assay/operators/arguments.hpp>

namespace assay::evaluate {

BlockSequence::BlockSequence(const Session& session, std::int32_t pair, PairProcesses& processes, base::Philox& random,
                             StageClock& clock, PairResult& result)
    : session_(session),
      pair_(pair),
      timing_(task::timing_of(*session.request)),
      processes_(processes),
      clock_(clock),
      result_(result),
      maker_(session, random),
      runner_(session, pair, processes, maker_, random, clock, result) {
  maker_.use(*processes.inputs);
}

base::Result<void> BlockSequence::begin(const measure::ScheduledCall& first) {
  clock_.lap(Stage::rest);
  ASSAY_TRY_ASSIGN(blocks_[now_], maker_.make(first));
  clock_.lap(Stage::generate);
  return {};
}

base::Result<void> BlockSequence::run(std::span<const measure::ScheduledCall> calls, std::int32_t order,
                                      const measure::ScheduledCall* following) {
  const measure::ScheduledCall& first = calls.front();
  CallBlock& block = blocks_[now_];
  block.first = &first;
  block.is_new = maker_.contents().is_new(first);
  block.is_checked = first.check && session_.request->probes(task::Probe::output_check);
  ASSAY_TRY(run_block(calls, order, block, following));
  now_ = 1 - now_;
  return {};
}

task::FailingInput BlockSequence::failing_input() {
  return maker_.input_of(failed_late_ != nullptr ? *failed_late_ : *blocks_[1 - now_].first);
}

// The calls that see the same contents: both sides of a comparison, next to each other in time. Outputs are checked
// after both, so that the reference's work does not come between them. Leaves the block of the following call.
base::Result<void> BlockSequence::run_block(std::span<const measure::ScheduledCall> calls, std::int32_t order,
                                            CallBlock& block, const measure::ScheduledCall* following) {
  const measure::ScheduledCall& first = calls.front();
  CallBlock& next = blocks_[1 - now_];
  if (timing_.method == base::TimingMethod::graph) {
    ASSAY_TRY(runner_.capture(calls, block));
    if (result_.fault) {
      return {};
    }
  }
  ASSAY_TRY(session_.checker->begin({block.layout, block.axes, block.arguments, *processes_.inputs},
                                    {.outputs = first.check && session_.request->probes(task::Probe::output_check),
                                     .late_work = first.check,
                                     .inputs = first.check && session_.request->probes(task::Probe::input_digest),
                                     .closely = first.repeats}));
  if (unfinished_ != nullptr) {
    ASSAY_TRY(look_.begin_last_look(*unfinished_));
  }
  clock_.lap(Stage::begin);
  if (measures_floor(session_, pair_) && first.repetition == 0) {
    note_least_work(block);
  }
  bool is_ahead = false;
  if (following != nullptr && timing_.cache == base::CacheState::cold) {
    clock_.lap(Stage::rest);
    ASSAY_TRY_ASSIGN(is_ahead, maker_.begin_ahead(*following));
    clock_.lap(Stage::generate);
  }
  for (const measure::ScheduledCall& call : calls) {
    ASSAY_TRY(run_call(call, order++, block));
    if (result_.fault) {
      return {};
    }
  }
  session_.device->spread_judge();
  const bool finishes_later = following != nullptr && may_finish_later();
  const bool repeats = first.repeats || (following != nullptr && following->repeats);
  if (block.is_checked) {
    ASSAY_TRY(look_.begin_check(block));
  }
  ASSAY_TRY(session_.checker->begin_inputs_look());
  // What is asked of the CPU later needs the other image for this block's contents.
  block.is_looked_at = finishes_later && is_ahead && !repeats && !(block.is_checked && look_.measures_errors(block));
  if (!block.is_looked_at) {
    if (!finishes_later || first.check) {
      ASSAY_TRY_ASSIGN(const bool compared, look_at(block, WhichBlock::now));
      if (!compared) {
        return {};
      }
    }
    if (!result_.fault && repeats) {
      ASSAY_TRY(look_.compare_with_repeat(first, block));
    }
  }
  if (finishes_later && !result_.fault) {
    unfinished_ = &block;
  } else if (!is_official()) {
    ASSAY_TRY(look_.begin_last_look(block));
    ASSAY_TRY(look_.finish_last_look(block));
  }
  if (session_.chain != nullptr && !result_.fault) {
    ASSAY_TRY(look_.go_on(block));
  }
  clock_.lap(Stage::check);
  if (following != nullptr && !result_.fault) {
    ASSAY_TRY_ASSIGN(next, is_ahead ? maker_.finish_ahead() : maker_.make(*following));
    clock_.lap(Stage::generate);
  }
  return {};
}

base::Result<void> BlockSequence::run_call(const measure::ScheduledCall& call, std::int32_t order, CallBlock& block) {
  ASSAY_TRY_ASSIGN(std::optional<ReadyCall> ready, runner_.make_ready(call, block));
  if (!ready) {
    return {};
  }
  // The device has no pause while the judge reads what it had found.
  ASSAY_TRY(finish_block_before());
  if (!result_.fault) {
    ASSAY_TRY(look_.check_guards(block));
  }
  if (result_.fault) {
    return {};
  }
  ASSAY_TRY(runner_.make(std::move(*ready), order, block));
  if (result_.fault) {
    return {};
  }
  // What a device looks at has time until the next call.
  if (!session_.device->runs_remotely()) {
    ASSAY_TRY(look_.check_guards(block));
  }
  clock_.lap(Stage::look);
  return {};
}

// What lies around the outputs and what became of the inputs; false if something is wrong there, after which the outputs
// say no more. Then whether they are right.
base::Result<bool> BlockSequence::look_at(CallBlock& block, WhichBlock which) {
  ASSAY_TRY_ASSIGN(const bool inputs_changed, session_.checker->inputs_changed(which));
  ASSAY_TRY(look_.check_guards(block));
  if (!result_.fault && inputs_changed) {
    ASSAY_TRY(blame_for_inputs(block));
  }
  if (result_.fault) {
    return false;
  }
  if (block.is_checked) {
    ASSAY_TRY(look_.check(block));
  }
  return true;
}

// The same of the block before. The CPU, where it is asked, is shown that block's contents.
base::Result<bool> BlockSequence::look_back_at(CallBlock& before) {
  bool is_in_doubt = false;
  if (before.is_checked) {
    ASSAY_TRY_ASSIGN(is_in_doubt, look_.is_in_doubt(before));
  }
  if (!is_in_doubt) {
    return look_at(before, WhichBlock::before);
  }
  ASSAY_TRY(maker_.go_back(before));
  ASSAY_TRY_ASSIGN(const bool compared, look_at(before, WhichBlock::before));
  maker_.come_back();
  return compared;
}

// Where a device works on while the judge does: what is asked about a block then waits for no more than the next call
// does. A graph is captured before, and hot caches are made hot, by calls of their own; a chain reads what was left.
bool BlockSequence::may_finish_later() const {
  return session_.checker->keeps_calls() && timing_.method != base::TimingMethod::graph &&
         timing_.cache == base::CacheState::cold && session_.chain == nullptr && !is_official();
}

// Before the next call: all that was begun has arrived.
base::Result<void> BlockSequence::finish_block_before() {
  if (CallBlock* const before = std::exchange(unfinished_, nullptr)) {
    bool compared = true;
    if (before->is_looked_at) {
      ASSAY_TRY_ASSIGN(compared, look_back_at(*before));
    } else {
      ASSAY_TRY(look_.check_guards(*before));
    }
    if (compared) {
      ASSAY_TRY(look_.finish_last_look(*before));
    }
    failed_late_ = result_.fault ? before->first : nullptr;
  }
  return {};
}

// On the CPU the kernel lets no worker write to them; on a device its driver does, unless a process lifts that for its
// own mapping.
base::Result<void> BlockSequence::blame_for_inputs(const CallBlock& block) {
  if (!session_.device->runs_remotely()) {
    return base::internal_error("judge.inputs", "the inputs changed while only workers ran, which map them read-only");
  }
  for (const SideProcess& side : processes_.sides) {
    if (side.contestant->side == task::Side::candidate) {
      note_fault(result_, side, task::Outcome::incorrect, block.workload, {input_written()});
    }
  }
  return {};
}

void BlockSequence::note_least_work(const CallBlock& block) {
  const operators::Work work = session_.op->least_work(block.axes, operators::read_only(block.arguments));
  operators::Work& least = result_.least_work[static_cast<std::size_t>(block.workload)];
  least.bytes = least.bytes == 0 ? work.bytes : std::min(least.bytes, work.bytes);
  least.operations = least.operations == 0 ? work.operations : std::min(least.operations, work.operations);
}

}  // namespace assay::evaluate
