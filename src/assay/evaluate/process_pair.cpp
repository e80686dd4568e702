#include <assay/evaluate/process_pair.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include <assay/base/parallel.hpp>
#include <assay/base/random.hpp>
#include <assay/evaluate/block_look.hpp>
#include <assay/evaluate/block_maker.hpp>
#include <assay/evaluate/busy_meter.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/call_contents.hpp>
#include <assay/evaluate/call_findings.hpp>
#include <assay/evaluate/call_runner.hpp>
#include <assay/evaluate/pair_processes.hpp>
#include <assay/evaluate/session_flags.hpp>
#include <assay/evaluate/stage_clock.hpp>
#include <assay/evaluate/suspicion.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/operators/arguments.hpp>

namespace assay::evaluate {

namespace {

constexpr std::size_t kProbedMemory = std::size_t{256} << 20U;

class ProcessPair {
 public:
  ProcessPair(const Session& session, std::int32_t pair)
      : session_(session),
        checker_(*session.checker),
        pair_(pair),
        timing_(task::timing_of(*session.request)),
        random_(session.seed, base::mix(base::stream_id("pair"), static_cast<std::uint64_t>(pair))),
        device_seconds_before_(session.checker->device_seconds()),
        maker_(session, random_),
        runner_(session, pair, processes_, maker_, random_, clock_, result_) {}

  base::Result<PairResult> run() {
    ASSAY_TRY_ASSIGN(processes_, start_processes(session_, random_, CallContents::kSlackBytes));
    clock_.lap(Stage::start);
    busy_.emplace(*session_.device);
    result_.least_work.resize(request().workloads.size());
    result_.clean_calls.resize(request().workloads.size());
    result_.floors_ns = std::move(processes_.floors_ns);
    result_.fault = std::move(processes_.fault);
    result_.killed_from_outside = processes_.killed_from_outside;
    if (!result_.fault) {
      maker_.use(*processes_.inputs);
      const std::optional<task::DeviceReading> before = read_device(session_.device->state());
      if (base::Result<void> followed = follow_schedule(); !followed) {
        ASSAY_TRY(explain_shortage(std::move(followed.error())));
      }
      const std::optional<task::DeviceReading> after = read_device(session_.device->state());
      if (before && after && compares()) {
        result_.readings = task::PairReadings{pair_, processes_of_ours(), *before, *after};
      }
    }
    clock_.lap(Stage::rest);
    result_.stages = clock_.seconds();
    busy_->look(BusyMeter::Look::last);
    base::parallel_for(processes_.sides.size(), [&](std::size_t at) {
      if (SideProcess& side = processes_.sides[at]; side.client) {
        side.client->close();
      }
    });
    if (session_.device->runs_remotely()) {
      note_device_seconds();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const task::EvaluationRequest& request() const { return *session_.request; }

  // The judge, this pair's workers, and those that wait for later pairs.
  [[nodiscard]] std::int32_t processes_of_ours() const {
    return 1 + static_cast<std::int32_t>(processes_.sides.size()) + session_.workers->waiting();
  }

  // Nothing but the candidate and a known kernel ran beside the judge: if there is memory again once they have ended, it
  // was the candidate that had taken it. Else the machine has too little, whoever is judged.
  base::Result<void> explain_shortage(base::Error error) {
    if (error.code != device::kOutOfMemory) {
      return tl::unexpected(std::move(error));
    }
    for (SideProcess& side : processes_.sides) {
      side.client.reset();
    }
    if (!session_.device->create_memory(kProbedMemory, os::PeerAccess::read_only)) {
      return tl::unexpected(std::move(error));
    }
    for (const SideProcess& side : processes_.sides) {
      if (side.contestant->side == task::Side::candidate) {
        note_fault(result_, side, task::Outcome::crashed, std::nullopt, {memory_taken()});
      }
    }
    return {};
  }

  void note_device_seconds() {
    result_.device_seconds = checker_.device_seconds();
    for (std::size_t i = 0; i < result_.device_seconds.size(); ++i) {
      result_.device_seconds[i].second -= device_seconds_before_[i].second;
    }
    double called_ns = 0;
    for (const task::Sample& sample : result_.samples) {
      called_ns += static_cast<double>(sample.elapsed_ns);
    }
    const double sweeps =
        timing_.cache == base::CacheState::cold ? 2.0 * static_cast<double>(result_.samples.size()) : 0;
    result_.device_seconds.emplace_back("calls, by their clock", called_ns * 1e-9);
    result_.device_seconds.emplace_back("sweeps of the cache, as one was measured", sweeps * checker_.sweep_seconds());
    result_.device_seconds.emplace_back("watched by NVML", busy_->covered_seconds());
    result_.device_seconds.emplace_back("busy by NVML", busy_->busy_seconds());
  }

  base::Result<void> follow_schedule() {
    if (measures_floor()) {
      session_.device->spread_judge();
      ASSAY_TRY_ASSIGN(const std::optional<double> measured, session_.device->measured_bytes_per_ns());
      result_.bytes_per_ns = measured ? *measured : cold_read_bandwidth(*session_.device, processes_.inputs->bytes());
    }
    const std::vector<measure::ScheduledCall> schedule =
        schedule_of(session_, pair_, processes_.sides.size() == 2, random_);
    const std::size_t block = processes_.sides.size();
    for (std::size_t at = 0; at < schedule.size() && !result_.fault; at += block) {
      if (at == 0) {
        clock_.lap(Stage::rest);
        ASSAY_TRY_ASSIGN(blocks_[now_], maker_.make(schedule.front()));
        clock_.lap(Stage::generate);
      }
      const measure::ScheduledCall* const following = at + block < schedule.size() ? &schedule[at + block] : nullptr;
      CallBlock& block_now = blocks_[now_];
      block_now.first = &schedule[at];
      block_now.is_new = maker_.contents().is_new(schedule[at]);
      block_now.is_checked = schedule[at].check && probes(task::Probe::output_check);
      ASSAY_TRY(run_block(std::span(schedule).subspan(at, block), static_cast<std::int32_t>(at), block_now, following));
      if (result_.fault) {
        note_failing_input(failed_late_ != nullptr ? *failed_late_ : schedule[at]);
      }
      now_ = 1 - now_;
      report_progress(at + block, schedule.size());
      busy_->look(BusyMeter::Look::when_due);
    }
    return {};
  }

  // A chain's inputs follow from what the candidate did before, and an official trial is not ours to judge.
  void note_failing_input(const measure::ScheduledCall& call) {
    const bool of_inputs = result_.fault->outcome == task::Outcome::incorrect ||
                           result_.fault->outcome == task::Outcome::crashed ||
                           result_.fault->outcome == task::Outcome::timed_out;
    if (of_inputs && result_.fault->side == task::Side::candidate && !officially() && session_.chain == nullptr &&
        !session_.of_self && !result_.killed_from_outside && probes(task::Probe::fresh_contents)) {
      result_.fault->input = maker_.contents().input_of(call);
    }
  }

  void report_progress(std::size_t done, std::size_t calls) const {
    if (session_.settings->on_progress) {
      if (!compares()) {
        session_.settings->on_progress(0, 1, fmt::format("trial {} of {}", done, calls));
        return;
      }
      const int pairs = std::max(request().plan.minimum_pairs, pair_ + 1);
      session_.settings->on_progress(
          static_cast<double>(pair_) + static_cast<double>(done) / static_cast<double>(calls), pairs,
          fmt::format("process pair {} of at least {}", pair_ + 1, pairs));
    }
  }

  [[nodiscard]] bool probes(task::Probe probe) const { return request().probes(probe); }
  [[nodiscard]] bool compares() const { return session_.purpose == Session::Purpose::compare; }
  /// Once a session: what a call must move, and how fast this memory is, are the same in every pair.
  [[nodiscard]] bool measures_floor() const {
    return pair_ == 0 && compares() && probes(task::Probe::roofline_floor) && !session_.device->simulated();
  }
  [[nodiscard]] bool officially() const { return session_.purpose == Session::Purpose::official; }

  // The calls that see the same contents: both sides of a comparison, next to each other in time. Outputs are checked
  // after both, so that the reference's work does not come between them. Leaves the block of the following call.
  base::Result<void> run_block(std::span<const measure::ScheduledCall> calls, std::int32_t order, CallBlock& block,
                               const measure::ScheduledCall* following) {
    const measure::ScheduledCall& first = calls.front();
    CallBlock& next = blocks_[1 - now_];
    if (timing_.method == base::TimingMethod::graph) {
      ASSAY_TRY(runner_.capture(calls, block));
      if (result_.fault) {
        return {};
      }
    }
    ASSAY_TRY(checker_.begin({block.layout, block.axes, block.arguments, *processes_.inputs},
                             {.outputs = first.check && probes(task::Probe::output_check),
                              .late_work = first.check,
                              .inputs = first.check && probes(task::Probe::input_digest),
                              .closely = first.repeats}));
    if (unfinished_ != nullptr) {
      ASSAY_TRY(look_.begin_last_look(*unfinished_));
    }
    clock_.lap(Stage::begin);
    if (measures_floor() && first.repetition == 0) {
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
    ASSAY_TRY(checker_.begin_inputs_look());
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
    } else if (!officially()) {
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

  base::Result<void> run_call(const measure::ScheduledCall& call, std::int32_t order, CallBlock& block) {
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
  base::Result<bool> look_at(CallBlock& block, WhichBlock which) {
    ASSAY_TRY_ASSIGN(const bool inputs_changed, checker_.inputs_changed(which));
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
  base::Result<bool> look_back_at(CallBlock& before) {
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
  [[nodiscard]] bool may_finish_later() const {
    return checker_.keeps_calls() && timing_.method != base::TimingMethod::graph &&
           timing_.cache == base::CacheState::cold && session_.chain == nullptr && !officially();
  }

  // Before the next call: all that was begun has arrived.
  base::Result<void> finish_block_before() {
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
  base::Result<void> blame_for_inputs(const CallBlock& block) {
    if (!session_.device->runs_remotely()) {
      return base::internal_error("judge.inputs",
                                  "the inputs changed while only workers ran, which map them read-only");
    }
    for (const SideProcess& side : processes_.sides) {
      if (side.contestant->side == task::Side::candidate) {
        note_fault(result_, side, task::Outcome::incorrect, block.workload, {input_written()});
      }
    }
    return {};
  }

  void note_least_work(const CallBlock& block) {
    const operators::Work work = session_.op->least_work(block.axes, operators::read_only(block.arguments));
    operators::Work& least = result_.least_work[static_cast<std::size_t>(block.workload)];
    least.bytes = least.bytes == 0 ? work.bytes : std::min(least.bytes, work.bytes);
    least.operations = least.operations == 0 ? work.operations : std::min(least.operations, work.operations);
  }

  const Session& session_;
  CallChecker& checker_;
  using Stage = StageClock::Stage;
  StageClock clock_;
  std::int32_t pair_;
  base::Timing timing_;
  base::Philox random_;
  task::Named<double> device_seconds_before_;
  std::optional<BusyMeter> busy_;  ///< Once the processes have started.
  PairProcesses processes_;
  PairResult result_;
  BlockLook look_{session_, result_};
  std::array<CallBlock, 2> blocks_;  ///< Of now, and of before or after.
  std::size_t now_ = 0;
  CallBlock* unfinished_ = nullptr;  ///< The block before, of which the last look is still to come …
  const measure::ScheduledCall* failed_late_ = nullptr;  ///< … and its call, if that has found something.
  BlockMaker maker_;                                     // A thread of its works on the others: after them.
  CallRunner runner_;
};

}  // namespace

base::Result<PairResult> run_pair(const Session& session, std::int32_t pair) {
  return ProcessPair(session, pair).run();
}

}  // namespace assay::evaluate
