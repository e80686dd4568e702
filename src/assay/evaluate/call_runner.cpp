#include <assay/evaluate/call_runner.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <assay/evaluate/call_answer.hpp>
#include <assay/evaluate/call_description.hpp>
#include <assay/evaluate/device_plan.hpp>
#include <assay/evaluate/diagnosis.hpp>
#include <assay/os/process_usage.hpp>

namespace assay::evaluate {

namespace {

constexpr std::chrono::nanoseconds kNoTime{0};
// On a device, of so many of the incumbent's calls one is watched.
constexpr std::uint64_t kCallsAWatch = 8;

}  // namespace

CallRunner::CallRunner(const Session& session, std::int32_t pair, PairProcesses& processes, BlockMaker& maker,
                       base::Philox& random, StageClock& clock, PairResult& result)
    : session_(session),
      pair_(pair),
      timing_(task::timing_of(*session.request)),
      processes_(processes),
      maker_(maker),
      random_(random),
      clock_(clock),
      result_(result) {}

SideProcess& CallRunner::side_of(const measure::ScheduledCall& call) const {
  return *std::find_if(processes_.sides.begin(), processes_.sides.end(),
                       [&](const SideProcess& one) { return one.contestant->side == call.side; });
}

const SideProcess* CallRunner::other_side_of(const measure::ScheduledCall& call) const {
  const auto other = std::find_if(processes_.sides.begin(), processes_.sides.end(),
                                  [&](const SideProcess& one) { return one.contestant->side != call.side; });
  return other == processes_.sides.end() ? nullptr : &*other;
}

std::chrono::nanoseconds CallRunner::limit_of(const measure::ScheduledCall& call) const {
  return session_.request->plan.call_limit * (call.side == task::Side::incumbent ? task::kPatienceWithTheKnown : 1);
}

// Only a warm-up call, which counts for nothing, is made once before: libraries load and allocate then, and not in a
// capture.
base::Result<void> CallRunner::capture(std::span<const measure::ScheduledCall> calls, const CallBlock& block) {
  const bool is_warm_up = calls.front().repetition == 0;
  if (is_warm_up) {
    ASSAY_TRY(processes_.inputs->publish(block.layout.inputs_size));
  }
  for (const measure::ScheduledCall& call : calls) {
    if (is_warm_up && !result_.fault) {
      prepare(call, block, {base::TimingMethod::events, base::CacheState::hot});
    }
    if (!result_.fault) {
      prepare(call, block, {timing_.method, base::CacheState::cold});
    }
  }
  session_.device->spread_judge();
  return {};
}

// Makes the caches hot: the call is made once, untimed, on other contents, so that nothing can be kept of it.
base::Result<void> CallRunner::heat(const measure::ScheduledCall& call, CallBlock& block) {
  measure::ScheduledCall before = call;
  before.contents = base::mix(call.contents, base::stream_id("hot"));
  ASSAY_TRY(session_.checker->arrive());
  ASSAY_TRY(maker_.again(before, block));
  ASSAY_TRY(processes_.inputs->publish(block.layout.inputs_size));
  prepare(call, block, timing_);
  if (!result_.fault) {
    ASSAY_TRY(maker_.again(call, block));
    ASSAY_TRY(processes_.inputs->publish(block.layout.inputs_size));
  }
  return {};
}

// Has a call captured, or made once untimed. What it writes is poisoned again before it is timed.
void CallRunner::prepare(const measure::ScheduledCall& call, const CallBlock& block, const base::Timing& how) {
  SideProcess& side = side_of(call);
  session_.device->place_judge();
  const std::optional<worker::Call> description = describe(side, block, how);
  if (!description) {
    return;
  }
  const auto reply = side.client->prepare(*description, limit_of(call));
  if (reply) {
    hear(side, call.workload, *reply);
  } else {
    note_failure(reply.error(), call, block);
  }
}

// A chain is many calls and no measurement.
void CallRunner::evict(const SideProcess& side, const CallBlock& block) const {
  if (!session_.device->runs_remotely() && timing_.cache == base::CacheState::cold && session_.chain == nullptr) {
    for (const std::span<const std::byte> part : processes_.inputs->present(block.layout.inputs_size)) {
      session_.device->evict(part);
    }
    session_.device->evict(side.outputs->bytes().first(block.layout.outputs_size));
  }
}

// Nothing if the side's launch plan does not hold for these axes, which is its fault.
std::optional<worker::Call> CallRunner::describe(const SideProcess& side, const CallBlock& block,
                                                 const base::Timing& how) {
  base::Result<worker::Call> described =
      describe_call(*side.contestant, session_.request->definition, block.axes, block.layout, block.arguments, how);
  if (!described) {
    note_fault(result_, side, task::Outcome::not_built, block.workload,
               {plan_fault(described.error(), side.contestant->side)});
    return std::nullopt;
  }
  return std::move(*described);
}

void CallRunner::note_failure(const worker::Failure& failure, const measure::ScheduledCall& call,
                              const CallBlock& block) {
  result_.fault = diagnose(failure, call.side, Activity::call, &block.layout, call.workload);
  result_.killed_from_outside = failure.kind == worker::Failure::Kind::killed_from_outside;
}

void CallRunner::hear(const SideProcess& side, std::int32_t workload, const worker::CallReply& reply) {
  if (std::optional<Complaint> complaint = complaint_about(reply)) {
    note_fault(result_, side, complaint->outcome, workload, {std::move(complaint->finding)});
  }
}

base::Result<std::optional<ReadyCall>> CallRunner::make_ready(const measure::ScheduledCall& call, CallBlock& block) {
  SideProcess& side = side_of(call);
  if (timing_.cache == base::CacheState::hot) {
    ASSAY_TRY(heat(call, block));
    if (result_.fault) {
      return std::nullopt;
    }
  }
  session_.device->spread_judge();
  clock_.lap(Stage::rest);
  if (const auto roused = side.client->rouse(limit_of(call)); !roused) {
    note_failure(roused.error(), call, block);
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(std::unique_ptr<CallOutputs> outputs,
                   session_.checker->prepare(*side.outputs, preparation_of(call)));
  clock_.lap(Stage::prepare);
  evict(side, block);
  session_.device->place_judge();
  std::optional<worker::Call> description = describe(side, block, timing_);
  if (!description) {
    return std::nullopt;
  }
  clock_.lap(Stage::rest);
  ASSAY_TRY(session_.checker->arrive());
  clock_.lap(Stage::arrive);
  if (const auto woken = side.client->wake(timing_, limit_of(call)); !woken) {
    note_failure(woken.error(), call, block);
    return std::nullopt;
  }
  return ReadyCall{call, &side, std::move(*description), std::move(outputs)};
}

base::Result<void> CallRunner::make(ReadyCall ready, std::int32_t order, CallBlock& block) {
  const measure::ScheduledCall& call = ready.call;
  SideProcess& side = *ready.side;
  const SideProcess* const other = other_side_of(call);
  const bool watches = other != nullptr && is_watched(call);
  const std::chrono::nanoseconds others_before = watches ? os::usage_of_tree(other->client->pid()).cpu : kNoTime;
  clock_.lap(Stage::rest);
  const auto reply = side.client->call(ready.description, limit_of(call));
  clock_.lap(Stage::call);
  if (!reply) {
    note_failure(reply.error(), call, block);
    return {};
  }
  if (reply->reply.device_status != 0 || reply->reply.timing_status != worker::TimingStatus::timed) {
    hear(side, call.workload, reply->reply);
    return {};
  }
  ASSAY_TRY(ready.outputs->returned());
  if (session_.device->runs_remotely() && call.repetition > 0) {
    result_.outlived_ns[call.side].push_back(static_cast<double>(reply->reply.outlived_ns));
    note_idle(call, reply->reply);
  }
  if (watches) {
    const auto used = os::usage_of_tree(other->client->pid()).cpu - others_before;
    result_.interference.push_back(static_cast<double>(used.count()) /
                                   static_cast<double>(std::max<std::int64_t>(1, reply->round_trip.count())));
  }
  record(call, order, *reply, side);
  hear(side, call.workload, reply->reply);
  if (!result_.fault) {
    block.done.push_back({&side, std::move(ready.outputs)});
  }
  return {};
}

// Whether it is seen what the candidate's processes do during this call of the incumbent. That is read from a file for
// each thread, of which a device's driver has many: there of some calls that nobody can foresee.
bool CallRunner::is_watched(const measure::ScheduledCall& call) const {
  if (!session_.request->probes(task::Probe::interference) || call.repetition == 0 ||
      call.side != task::Side::incumbent) {
    return false;
  }
  return !session_.device->runs_remotely() || result_.interference.empty() ||
         base::mix(call.contents, base::stream_id("watch")) % kCallsAWatch == 0;
}

OutputPreparation CallRunner::preparation_of(const measure::ScheduledCall& call) const {
  return {.seed = session_.seed,
          .call = base::mix(call.contents, base::mix(static_cast<std::uint64_t>(call.side),
                                                     static_cast<std::uint64_t>(call.repetition))),
          .poisons = session_.request->probes(task::Probe::poison),
          .remembers = session_.request->probes(task::Probe::late_work),
          .random = &random_};
}

void CallRunner::note_idle(const measure::ScheduledCall& call, const worker::CallReply& reply) {
  if (session_.purpose == Session::Purpose::compare && reply.elapsed_ns > 0) {
    result_.idle_shares[{call.side, call.workload}].push_back(static_cast<double>(reply.idle_ns) /
                                                              static_cast<double>(reply.elapsed_ns));
  }
}

void CallRunner::record(const measure::ScheduledCall& call, std::int32_t order,
                        const worker::WorkerClient::TimedReply& reply, const SideProcess& side) {
  task::Sample sample;
  sample.pair = pair_;
  sample.order = order;
  sample.side = call.side;
  sample.workload = call.workload;
  sample.repetition = call.repetition;
  sample.checked = call.check;
  sample.timing = timing_;
  const device::CallKey key{side.contestant->content,
                            side.contestant->normalised,
                            session_.request->workloads[static_cast<std::size_t>(call.workload)].uuid,
                            session_.seed,
                            pair_,
                            call.repetition,
                            session_.of_self && call.side == task::Side::candidate ? 1 : 0};
  sample.elapsed_ns = session_.device->observe(key, std::chrono::nanoseconds(reply.reply.elapsed_ns)).count();
  sample.round_trip_ns = reply.round_trip.count();
  result_.samples.push_back(sample);
}

}  // namespace assay::evaluate
