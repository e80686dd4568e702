#include <assay/evaluate/official_timing.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/evaluate/call_answer.hpp>
#include <assay/evaluate/call_description.hpp>
#include <assay/evaluate/pair_processes.hpp>
#include <assay/evaluate/wording.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::evaluate {

namespace {

// What they give a solution for all that it does.
constexpr std::chrono::seconds kTheirPatience{300};

// One solution in its process, through all workloads.
class OfficialTimer {
 public:
  OfficialTimer(const Session& session, const Contestant& contestant, WorkerPool& workers)
      : session_(session), request_(*session.request), random_(session.seed, base::stream_id("official timing")) {
    // By their clock, whatever ours is: it is what the worker is asked to make ready.
    request_.plan.clock = base::TimingMethod::cupti;
    request_.plan.cache = base::CacheState::cold;
    session_.request = &request_;
    session_.contestants = {&contestant};
    session_.workers = &workers;
  }
  OfficialTimer(const OfficialTimer&) = delete;
  OfficialTimer& operator=(const OfficialTimer&) = delete;

  // The medians of each workload's trials, or what went wrong, in a sentence.
  struct Timed {
    std::vector<std::vector<double>> medians_ns;
    std::string fault;
  };

  base::Result<Timed> run() {
    ASSAY_TRY_ASSIGN(processes_, start_processes(session_, random_, 0));
    Timed timed;
    if (processes_.fault) {
      timed.fault = processes_.fault->cause;
    }
    for (std::size_t w = 0; w < request_.workloads.size() && timed.fault.empty(); ++w) {
      std::vector<double> medians;
      for (int trial = 0; trial < request_.official_trials && timed.fault.empty(); ++trial) {
        ASSAY_TRY_ASSIGN(const std::optional<double> median, run_trial(w, trial, timed.fault));
        medians.push_back(median.value_or(0));
      }
      timed.medians_ns.push_back(std::move(medians));
    }
    for (SideProcess& side : processes_.sides) {
      if (side.client) {
        side.client->close();
      }
    }
    return timed;
  }

 private:
  base::Result<std::optional<double>> run_trial(std::size_t w, int trial, std::string& fault) {
    const task::Workload& workload = request_.workloads[w];
    const verify::Layout& layout = (*session_.layouts)[w];
    ASSAY_TRY_ASSIGN(std::vector<operators::Argument> arguments,
                     verify::input_arguments(request_.definition, workload, layout, processes_.inputs->bytes()));
    session_.device->spread_judge();
    session_.generator->fill(workload,
                             base::mix(base::stream_id("official timing"),
                                       base::mix(static_cast<std::uint64_t>(w), static_cast<std::uint64_t>(trial))),
                             arguments);
    ASSAY_TRY(processes_.inputs->publish(layout.inputs_size));
    session_.device->place_judge();
    const Contestant& contestant = *processes_.sides.front().contestant;
    ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(request_.definition, workload.axes));
    base::Result<worker::Call> call = describe_call(contestant, request_.definition, axes, layout, arguments,
                                                    {base::TimingMethod::cupti, base::CacheState::cold});
    if (!call) {  // A launch plan that does not hold for this call.
      fault = call.error().message;
      return std::nullopt;
    }
    const worker::Series series{kOfficialUntimedCalls, kOfficialTimedCalls, std::move(*call)};
    const auto reply = processes_.sides.front().client->series(series, limit());
    const task::Side side = contestant.side;
    if (!reply) {
      fault = diagnose(reply.error(), side, Activity::call, &layout, static_cast<std::int32_t>(w)).cause;
    } else if (const std::optional<Complaint> complaint = complaint_about(reply->last)) {
      fault = complaint->finding.message;
    }
    if (!fault.empty()) {
      fault += fmt::format(" (workload {})", describe(workload));
      return std::nullopt;
    }
    return stats::median(std::vector<double>(reply->elapsed_ns.begin(), reply->elapsed_ns.end()));
  }

  [[nodiscard]] std::chrono::milliseconds limit() const {
    constexpr int kCalls = kOfficialUntimedCalls + kOfficialTimedCalls;
    return std::min<std::chrono::milliseconds>(request_.plan.call_limit * kCalls, kTheirPatience);
  }

  Session session_;
  task::EvaluationRequest request_;
  base::Philox random_;
  PairProcesses processes_;
};

}  // namespace

base::Result<void> time_officially(const Session& session, WorkerPool* workers, task::OfficialVerdict& verdict) {
  if (!session.device->runs_remotely()) {
    verdict.not_timed =
        fmt::format("flashinfer-bench times kernels of a GPU, and the device is '{}'", session.device->name());
    return {};
  }
  if (!verdict.passed) {
    verdict.not_timed = "flashinfer-bench times only what passes";
    return {};
  }
  ASSAY_CHECK(workers != nullptr);
  task::OfficialTiming timing;
  timing.method = task::kOfficialTimingMethod;
  timing.untimed_calls = kOfficialUntimedCalls;
  timing.timed_calls = kOfficialTimedCalls;
  for (const task::Workload& workload : session.request->workloads) {
    timing.workloads.emplace_back().uuid = workload.uuid;
  }
  for (const Contestant* contestant : session.contestants) {
    OfficialTimer timer(session, *contestant, *workers);
    ASSAY_TRY_ASSIGN(auto timed, timer.run());
    const bool is_candidate = contestant->side == task::Side::candidate;
    if (!timed.fault.empty()) {
      verdict.not_timed =
          fmt::format("the {} failed when it was called {} times in a row on the same contents: {}",
                      task::to_string(contestant->side), kOfficialUntimedCalls + kOfficialTimedCalls, timed.fault);
      if (is_candidate) {
        verdict.passed = false;
        verdict.reason = verdict.not_timed;
        return {};
      }
      continue;
    }
    for (std::size_t w = 0; w < timing.workloads.size(); ++w) {
      task::OfficialLatency& latency = timing.workloads[w];
      (is_candidate ? latency.candidate_ns : latency.incumbent_ns) = std::move(timed.medians_ns[w]);
    }
  }
  verdict.timing = std::move(timing);
  return {};
}

}  // namespace assay::evaluate
