#include <assay/evaluate/process_pair.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <assay/base/parallel.hpp>
#include <assay/base/random.hpp>
#include <assay/evaluate/block_look.hpp>
#include <assay/evaluate/block_sequence.hpp>
#include <assay/evaluate/busy_meter.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/call_contents.hpp>
#include <assay/evaluate/call_findings.hpp>
#include <assay/evaluate/pair_processes.hpp>
#include <assay/evaluate/session_flags.hpp>
#include <assay/evaluate/stage_clock.hpp>
#include <assay/evaluate/suspicion.hpp>
#include <assay/measure/schedule.hpp>

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
        device_seconds_before_(session.checker->device_seconds()) {}

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
      blocks_.emplace(session_, pair_, processes_, random_, clock_, result_);
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
    if (measures_floor(session_, pair_)) {
      session_.device->spread_judge();
      ASSAY_TRY_ASSIGN(const std::optional<double> measured, session_.device->measured_bytes_per_ns());
      result_.bytes_per_ns = measured ? *measured : cold_read_bandwidth(*session_.device, processes_.inputs->bytes());
    }
    schedule_ = schedule_of(session_, pair_, processes_.sides.size() == 2, random_);
    const std::size_t block = processes_.sides.size();
    for (std::size_t at = 0; at < schedule_.size() && !result_.fault; at += block) {
      if (at == 0) {
        ASSAY_TRY(blocks_->begin(schedule_.front()));
      }
      const measure::ScheduledCall* const following = at + block < schedule_.size() ? &schedule_[at + block] : nullptr;
      ASSAY_TRY(blocks_->run(std::span(schedule_).subspan(at, block), static_cast<std::int32_t>(at), following));
      if (result_.fault) {
        note_failing_input();
      }
      report_progress(at + block, schedule_.size());
      busy_->look(BusyMeter::Look::when_due);
    }
    return {};
  }

  // A chain's inputs follow from what the candidate did before, and an official trial is not ours to judge.
  void note_failing_input() {
    const bool of_inputs = result_.fault->outcome == task::Outcome::incorrect ||
                           result_.fault->outcome == task::Outcome::crashed ||
                           result_.fault->outcome == task::Outcome::timed_out;
    if (of_inputs && result_.fault->side == task::Side::candidate && session_.purpose != Session::Purpose::official &&
        session_.chain == nullptr && !session_.of_self && !result_.killed_from_outside &&
        probes(task::Probe::fresh_contents)) {
      result_.fault->input = blocks_->failing_input();
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
  std::vector<measure::ScheduledCall> schedule_;  ///< A block that is made ahead is of one of its calls until the end.
  std::optional<BlockSequence> blocks_;           ///< Once they have, too. It uses the others: last.
};

}  // namespace

bool measures_floor(const Session& session, std::int32_t pair) {
  return pair == 0 && session.purpose == Session::Purpose::compare &&
         session.request->probes(task::Probe::roofline_floor) && !session.device->simulated();
}

base::Result<PairResult> run_pair(const Session& session, std::int32_t pair) {
  return ProcessPair(session, pair).run();
}

}  // namespace assay::evaluate
