#include <assay/evaluate/process_pair.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/evaluate/call_description.hpp>
#include <assay/measure/schedule.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/verify/output_check.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

namespace {

// What a candidate may write to files and logs in all; more is lost, without harm to it.
constexpr std::uint64_t kOutputLimit = std::uint64_t{16} << 20U;

struct SideProcess {
  const Contestant* contestant = nullptr;
  os::SharedMemory outputs;
  std::optional<worker::WorkerClient> client;
};

class ProcessPair {
 public:
  ProcessPair(const Session& session, std::int32_t pair)
      : session_(session),
        pair_(pair),
        random_(session.seed, base::mix(base::stream_id("pair"), static_cast<std::uint64_t>(pair))) {}

  base::Result<PairResult> run() {
    ASSAY_TRY(start());
    if (!result_.fault) {
      ASSAY_TRY(follow_schedule());
    }
    for (SideProcess& side : sides_) {
      if (side.client) {
        side.client->close();
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const task::EvaluationRequest& request() const { return *session_.request; }

  base::Result<void> start() {
    std::size_t inputs_size = 0;
    std::size_t outputs_size = 0;
    for (const verify::Layout& layout : *session_.layouts) {
      inputs_size = std::max(inputs_size, layout.inputs_size);
      outputs_size = std::max(outputs_size, layout.outputs_size);
    }
    ASSAY_TRY_ASSIGN(inputs_, os::SharedMemory::create("memory", inputs_size, os::PeerAccess::read_only));
    for (const Contestant& contestant : *session_.contestants) {
      SideProcess& side = sides_.emplace_back();
      side.contestant = &contestant;
      ASSAY_TRY_ASSIGN(side.outputs, os::SharedMemory::create("memory", outputs_size, os::PeerAccess::read_write));
    }
    // The order of starting must not favour a side.
    if (sides_.size() == 2 && random_.next_below(2) == 1) {
      std::swap(sides_[0], sides_[1]);
    }
    for (SideProcess& side : sides_) {
      ASSAY_TRY(start_side(side));
      if (result_.fault) {
        return {};
      }
    }
    return {};
  }

  base::Result<void> start_side(SideProcess& side) {
    worker::WorkerOptions options;
    options.program = session_.settings->worker;
    options.log = session_.log;
    options.limits.address_space_bytes =
        request().plan.worker_memory_bytes + 2 * (inputs_.size() + side.outputs.size());
    options.limits.file_size_bytes = kOutputLimit;
    options.limits.open_files = 256;
    ASSAY_TRY(session_.device->place_worker([&]() -> base::Result<void> {
      ASSAY_TRY_ASSIGN(side.client, worker::WorkerClient::start(options));
      return {};
    }));
    const auto floor = side.client->measure_floor(request().plan.load_limit);
    if (floor) {
      result_.floors_ns.push_back(floor->elapsed_ns);
    } else {
      note(floor.error(), side, Activity::map, nullptr, std::nullopt);
      return {};
    }
    if (const auto mapped = side.client->map(inputs_.fd(), inputs_.size(), side.outputs.fd(), side.outputs.size(),
                                             request().plan.load_limit);
        !mapped) {
      note(mapped.error(), side, Activity::map, nullptr, std::nullopt);
      return {};
    }
    const auto loaded = side.client->load(side.contestant->object, side.contestant->symbol, request().plan.load_limit);
    if (!loaded) {
      note(loaded.error(), side, Activity::load, nullptr, std::nullopt);
    } else if (loaded->status != worker::LoadStatus::loaded) {
      result_.fault = refused(*loaded, side);
    }
    return {};
  }

  static Fault refused(const worker::LoadReply& reply, const SideProcess& side) {
    Fault fault;
    fault.side = side.contestant->side;
    fault.outcome = task::Outcome::not_built;
    task::Finding finding;
    finding.side = fault.side;
    if (reply.status == worker::LoadStatus::symbol_missing) {
      finding.kind = "entry_missing";
      finding.message = fmt::format(
          "missing entry point: the object does not export {}: define it with "
          "ASSAY_KERNEL({}) of <assay/candidate.h>",
          side.contestant->symbol, side.contestant->symbol.substr(13));
    } else {
      finding.kind = "loader";
      finding.message = "the loader refused the object: " + base::printable(reply.text);
    }
    fault.cause = finding.message;
    fault.findings.push_back(std::move(finding));
    return fault;
  }

  void note(const worker::Failure& failure, const SideProcess& side, Activity activity, const verify::Layout* layout,
            std::optional<std::int32_t> workload) {
    result_.fault = diagnose(failure, side.contestant->side, activity, layout, workload);
    result_.killed_from_outside = failure.kind == worker::Failure::Kind::killed_from_outside;
  }

  base::Result<void> follow_schedule() {
    measure::ScheduleOptions options;
    options.pair = pair_;
    options.workloads = static_cast<std::int32_t>(request().workloads.size());
    options.timed_repetitions = request().plan.samples_per_pair;
    options.with_incumbent = sides_.size() == 2;
    options.check_fraction = request().plan.check_fraction;
    const std::vector<measure::ScheduledCall> schedule = measure::make_schedule(options, random_);
    const std::size_t block = sides_.size();
    for (std::size_t at = 0; at < schedule.size() && !result_.fault; at += block) {
      ASSAY_TRY(run_block(std::span(schedule).subspan(at, block), static_cast<std::int32_t>(at)));
      report_progress(at + block, schedule.size());
    }
    return {};
  }

  void report_progress(std::size_t done, std::size_t calls) const {
    if (session_.settings->on_progress) {
      const int pairs = std::max(request().plan.minimum_pairs, pair_ + 1);
      session_.settings->on_progress(
          static_cast<double>(pair_) + static_cast<double>(done) / static_cast<double>(calls), pairs,
          fmt::format("process pair {} of at least {}", pair_ + 1, pairs));
    }
  }

  // The calls that see the same contents: both sides of a comparison, next to each other in time. Outputs are checked
  // after both, so that the reference's work does not come between them.
  base::Result<void> run_block(std::span<const measure::ScheduledCall> calls, std::int32_t order) {
    const auto w = static_cast<std::size_t>(calls.front().workload);
    const task::Workload& workload = request().workloads[w];
    const verify::Layout& layout = (*session_.layouts)[w];
    ASSAY_TRY_ASSIGN(std::vector<operators::Argument> arguments,
                     verify::input_arguments(request().definition, workload, layout, inputs_.bytes()));
    session_.generator->fill(workload, calls.front().contents, arguments);

    std::vector<std::pair<SideProcess*, verify::OutputGuard>> to_check;
    for (const measure::ScheduledCall& call : calls) {
      SideProcess& side = *std::find_if(sides_.begin(), sides_.end(), [&](const SideProcess& candidate) {
        return candidate.contestant->side == call.side;
      });
      verify::OutputGuard guard(layout, side.outputs.bytes(), session_.seed,
                                base::mix(call.contents, static_cast<std::uint64_t>(call.side)));
      session_.device->evict(inputs_.bytes().first(layout.inputs_size));
      session_.device->evict(side.outputs.bytes().first(layout.outputs_size));
      const auto reply = side.client->call(describe_call(layout, arguments), request().plan.call_limit);
      if (!reply) {
        note(reply.error(), side, Activity::call, &layout, call.workload);
        return {};
      }
      record(call, order++, *reply, side);
      if (reply->reply.return_code != 0) {
        fail(side, task::Outcome::crashed, call.workload,
             {finding_of("returned",
                         fmt::format("its entry point returned {} (0 is success)", reply->reply.return_code))});
        return {};
      }
      if (std::optional<task::Finding> outside = guard.check()) {
        fail(side, task::Outcome::incorrect, call.workload, {std::move(*outside)});
        return {};
      }
      if (call.check) {
        to_check.emplace_back(&side, guard);
      }
    }
    return to_check.empty() ? base::Result<void>()
                            : check(to_check, arguments, layout, workload, calls.front().workload);
  }

  base::Result<void> check(const std::vector<std::pair<SideProcess*, verify::OutputGuard>>& outputs,
                           const std::vector<operators::Argument>& arguments, const verify::Layout& layout,
                           const task::Workload& workload, std::int32_t index) {
    ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(request().definition, workload.axes));
    ASSAY_TRY_ASSIGN(const auto expected, session_.op->reference(axes, read_only(arguments)));
    for (const auto& [side, guard] : outputs) {
      ++result_.checked_calls;
      std::vector<task::Finding> findings =
          verify::check_outputs(*session_.op, layout, side->outputs.bytes(), guard, expected);
      if (!findings.empty() && !result_.fault) {
        fail(*side, task::Outcome::incorrect, index, std::move(findings));
      }
    }
    return {};
  }

  static task::Finding finding_of(const char* kind, std::string message) {
    task::Finding finding;
    finding.kind = kind;
    finding.message = std::move(message);
    return finding;
  }

  void fail(const SideProcess& side, task::Outcome outcome, std::int32_t workload,
            std::vector<task::Finding> findings) {
    Fault fault{side.contestant->side, outcome, findings.front().message, std::move(findings)};
    for (task::Finding& finding : fault.findings) {
      finding.side = fault.side;
      finding.workload = workload;
    }
    result_.fault = std::move(fault);
  }

  void record(const measure::ScheduledCall& call, std::int32_t order, const worker::WorkerClient::TimedReply& reply,
              const SideProcess& side) {
    task::Sample sample;
    sample.pair = pair_;
    sample.order = order;
    sample.side = call.side;
    sample.workload = call.workload;
    sample.repetition = call.repetition;
    sample.checked = call.check;
    const device::CallKey key{side.contestant->content,
                              request().workloads[static_cast<std::size_t>(call.workload)].uuid, session_.seed, pair_,
                              call.repetition};
    sample.elapsed_ns = session_.device->observe(key, std::chrono::nanoseconds(reply.reply.elapsed_ns)).count();
    sample.round_trip_ns = reply.round_trip.count();
    result_.samples.push_back(sample);
  }

  const Session& session_;
  std::int32_t pair_;
  base::Philox random_;
  os::SharedMemory inputs_;
  std::vector<SideProcess> sides_;
  PairResult result_;
};

}  // namespace

base::Result<PairResult> run_pair(const Session& session, std::int32_t pair) {
  return ProcessPair(session, pair).run();
}

}  // namespace assay::evaluate
