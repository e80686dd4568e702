#include <assay/worker/cuda_calls.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include <assay/device/cuda/device_code.hpp>

namespace assay::device::cuda::code {
std::span<const std::byte> call_kernels();
}

namespace assay::worker {

namespace {

using Clock = std::chrono::steady_clock;
namespace cuda = device::cuda;

constexpr std::size_t kFloorCalls = 21;
constexpr int kSweepOverCache = 3;
constexpr int kZeroedOverCache = 2;  // flashinfer-bench's: a buffer of twice the cache's size.
constexpr unsigned kSweepThreads = 512;
constexpr std::size_t kWord = 16;
// About what the sweep takes: long enough for the host to put a call on the stream behind it.
constexpr unsigned long long kOccupyNs = 60'000;

std::int64_t ns_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}

std::int64_t ns_of(float milliseconds) {
  return static_cast<std::int64_t>(static_cast<double>(std::max(0.0F, milliseconds)) * 1e6);
}

// Notes the first thing that went wrong; whether nothing has yet.
bool holds(CallReply& reply, cuda::abi::Result result) {
  if (reply.device_status == cuda::abi::kSuccess) {
    reply.device_status = result;
  }
  return reply.device_status == cuda::abi::kSuccess;
}

bool holds_clock(CallReply& reply, cuda::cupti_abi::Result result) {
  if (result != cuda::cupti_abi::kSuccess) {
    reply.timing_status = TimingStatus::clock_failed;
    reply.device_status = result;
  }
  return result == cuda::cupti_abi::kSuccess;
}

}  // namespace

base::Result<std::unique_ptr<CudaCalls>> CudaCalls::open(int ordinal) {
  ASSAY_TRY_ASSIGN(const cuda::DeviceFacts facts, cuda::describe_device(ordinal));
  ASSAY_TRY_ASSIGN(cuda::Context context, cuda::Context::retain(ordinal));
  ASSAY_TRY_ASSIGN(const cuda::Driver* driver, cuda::open_driver());
  std::unique_ptr<CudaCalls> calls(new CudaCalls(driver, std::move(context)));
  ASSAY_TRY_ASSIGN(calls->stream_, cuda::Stream::create(cuda::StreamKind::with_default_stream));
  ASSAY_TRY_ASSIGN(calls->start_, cuda::Event::create());
  ASSAY_TRY_ASSIGN(calls->before_, cuda::Event::create());
  ASSAY_TRY_ASSIGN(calls->after_, cuda::Event::create());
  ASSAY_TRY_ASSIGN(calls->code_, cuda::load_device_code("call_kernels", cuda::code::call_kernels()));
  ASSAY_TRY_ASSIGN(calls->sweep_kernel_, calls->code_.function("sweep_cache"));
  ASSAY_TRY_ASSIGN(calls->empty_kernel_, calls->code_.function("empty_kernel"));
  ASSAY_TRY_ASSIGN(calls->occupy_kernel_, calls->code_.function("occupy"));
  const std::size_t bytes = static_cast<std::size_t>(facts.l2_bytes) * kSweepOverCache / kWord * kWord;
  ASSAY_TRY_ASSIGN(calls->sweep_, cuda::Memory::create(calls->context_, bytes));
  calls->zeroed_bytes_ = static_cast<std::size_t>(facts.l2_bytes) * kZeroedOverCache;
  calls->sweep_blocks_ = static_cast<unsigned>(facts.multiprocessors) * 4;
  ASSAY_TRY(cuda::check(calls->driver_->cuMemsetD8Async(calls->sweep_.address(), 0, bytes, calls->stream_.handle()),
                        "cuMemsetD8Async"));
  ASSAY_TRY(calls->context_.synchronize());
  return calls;
}

base::Result<void> CudaCalls::map(const os::Fd& inputs, std::size_t inputs_size, const os::Fd& outputs,
                                  std::size_t outputs_size) {
  inputs_ = cuda::Memory();
  outputs_ = cuda::Memory();
  ASSAY_TRY_ASSIGN(inputs_, cuda::Memory::import(context_, inputs, inputs_size, cuda::MemoryAccess::read_only));
  ASSAY_TRY_ASSIGN(outputs_, cuda::Memory::import(context_, outputs, outputs_size, cuda::MemoryAccess::read_write));
  return {};
}

cuda::abi::Result CudaCalls::wake(const base::Timing& timing) {
  cuda::abi::Result status = driver_->cuCtxSetCurrent(context_.handle());
  status = status == cuda::abi::kSuccess ? driver_->cuCtxResetPersistingL2Cache() : status;
  if (status == cuda::abi::kSuccess) {
    status = timing.cache == base::CacheState::cold ? launch_sweep() : launch_occupation();
  }
  status = status == cuda::abi::kSuccess ? driver_->cuCtxSynchronize() : status;
  if (timing.method == base::TimingMethod::cupti && cupti_ != nullptr) {
    begun_ = cupti_->begin();
  }
  return status;
}

base::Result<void> CudaCalls::enable(base::TimingMethod method) {
  if (method == base::TimingMethod::cupti && cupti_ == nullptr) {
    ASSAY_TRY_ASSIGN(cupti_, cuda::Cupti::open());
  }
  return {};
}

bool CudaCalls::is_ready(const base::Timing& timing) const {
  switch (timing.method) {
    case base::TimingMethod::wall:
      return false;
    case base::TimingMethod::events:
      return true;
    case base::TimingMethod::graph:
      return graph_ != nullptr;
    case base::TimingMethod::cupti:
      return cupti_ != nullptr;
  }
  return false;
}

CallReply CudaCalls::prepare(const base::Timing& timing, const Entry& entry) {
  if (timing.cache == base::CacheState::cold) {
    return capture(entry);
  }
  CallReply reply;
  if (!holds(reply, driver_->cuCtxSetCurrent(context_.handle()))) {
    return reply;
  }
  if (timing.method == base::TimingMethod::graph) {
    static_cast<void>(holds(reply, driver_->cuGraphLaunch(graph_.get(), stream_.handle())));
  } else {
    reply.return_code = entry();
  }
  static_cast<void>(wait_for_all(reply));
  return reply;
}

CallReply CudaCalls::capture(const Entry& entry) {
  graph_.reset();
  CallReply reply;
  // Relaxed: what an entry point does beside its stream is its own affair; work that it runs there and then is work on
  // contents that are gone when the graph is launched.
  if (!holds(reply, driver_->cuCtxSetCurrent(context_.handle())) ||
      !holds(reply, driver_->cuStreamBeginCapture_v2(stream_.handle(), cuda::abi::kCaptureRelaxed))) {
    return reply;
  }
  reply.return_code = entry();
  cuda::abi::GraphHandle graph = nullptr;
  static_cast<void>(driver_->cuCtxSetCurrent(context_.handle()));
  cuda::abi::Result captured = driver_->cuStreamEndCapture(stream_.handle(), &graph);
  if (captured == cuda::abi::kSuccess && graph == nullptr) {
    captured = cuda::abi::kCaptureInvalidated;
  }
  if (captured == cuda::abi::kSuccess) {
    cuda::abi::GraphExecHandle made = nullptr;
    captured = driver_->cuGraphInstantiateWithFlags(&made, graph, 0);
    graph_.reset(captured == cuda::abi::kSuccess ? made : nullptr);
  }
  if (graph != nullptr) {
    static_cast<void>(driver_->cuGraphDestroy(graph));
  }
  if (captured != cuda::abi::kSuccess) {
    reply.timing_status = TimingStatus::not_capturable;
    reply.device_status = captured;
    return reply;
  }
  if (holds(reply, driver_->cuGraphUpload(graph_.get(), stream_.handle()))) {
    static_cast<void>(wait_for_all(reply));
  }
  return reply;
}

CallReply CudaCalls::time(const base::Timing& timing, const Entry& entry) const {
  CallReply reply;
  // A candidate may have made another context current.
  if (!holds(reply, driver_->cuCtxSetCurrent(context_.handle()))) {
    return reply;
  }
  switch (timing.method) {
    case base::TimingMethod::wall:
    case base::TimingMethod::events:
      time_by_events(timing.cache, [&](CallReply& to) { to.return_code = entry(); }, reply);
      break;
    case base::TimingMethod::graph:
      time_by_events(
          timing.cache,
          [&](CallReply& to) { static_cast<void>(holds(to, driver_->cuGraphLaunch(graph_.get(), stream_.handle()))); },
          reply);
      break;
    case base::TimingMethod::cupti:
      call_and_wait(entry, reply);
      break;
  }
  return reply;
}

void CudaCalls::time_by_events(base::CacheState cache, const std::function<void(CallReply&)>& launch,
                               CallReply& reply) const {
  if (!holds(reply, driver_->cuEventRecord(start_.handle(), stream_.handle())) ||
      !holds(reply, cache == base::CacheState::cold ? launch_sweep() : launch_occupation())) {
    return;
  }
  const Clock::time_point swept_from = Clock::now();
  if (!holds(reply, driver_->cuEventRecord(before_.handle(), stream_.handle()))) {
    return;
  }
  launch(reply);
  const Clock::time_point returned = Clock::now();
  if (!holds(reply, driver_->cuCtxSetCurrent(context_.handle())) ||
      !holds(reply, driver_->cuEventRecord(after_.handle(), stream_.handle())) ||
      !holds(reply, driver_->cuEventSynchronize(after_.handle()))) {
    return;
  }
  const Clock::time_point stream_ended = Clock::now();
  if (!holds(reply, driver_->cuCtxSynchronize())) {
    return;
  }
  reply.outlived_ns = ns_between(stream_ended, Clock::now());
  float swept = 0;
  float milliseconds = 0;
  if (holds(reply, driver_->cuEventElapsedTime(&swept, start_.handle(), before_.handle())) &&
      holds(reply, driver_->cuEventElapsedTime(&milliseconds, before_.handle(), after_.handle()))) {
    reply.elapsed_ns = ns_of(milliseconds);
    // The device starts to sweep about when that is put on its idle stream. Where the entry point went on for longer
    // than the sweep, the device had, at most for that long, nothing to do.
    reply.idle_ns = std::clamp<std::int64_t>(ns_between(swept_from, returned) - ns_of(swept), 0, reply.elapsed_ns);
  }
}

CallReply CudaCalls::collect() {
  CallReply reply;
  const auto begun = std::exchange(begun_, std::nullopt);
  if (!begun || *begun != cuda::cupti_abi::kSuccess) {
    reply.timing_status = TimingStatus::clock_failed;
    reply.device_status = begun.value_or(cuda::Cupti::kLostRecords);
    return reply;
  }
  take_spans(reply);
  return reply;
}

SeriesReply CudaCalls::time_series(std::uint16_t untimed, std::uint16_t timed, const Entry& entry) const {
  SeriesReply series;
  for (int call = 0; call < untimed + timed; ++call) {
    CallReply reply;
    if (!holds(reply, driver_->cuCtxSetCurrent(context_.handle())) ||
        !holds(reply, driver_->cuMemsetD8Async(sweep_.address(), 0, zeroed_bytes_, stream_.handle()))) {
      series.last = reply;
      return series;
    }
    if (call < untimed) {
      call_and_wait(entry, reply);
    } else if (wait_for_all(reply) && holds_clock(reply, cupti_->begin())) {
      call_and_wait(entry, reply);
      if (reply.device_status == cuda::abi::kSuccess) {
        take_spans(reply);
      }
    }
    series.last = reply;
    if (reply.return_code != 0 || reply.device_status != cuda::abi::kSuccess ||
        reply.timing_status != TimingStatus::timed) {
      return series;
    }
    if (call >= untimed) {
      series.elapsed_ns.push_back(reply.elapsed_ns);
    }
  }
  return series;
}

void CudaCalls::call_and_wait(const Entry& entry, CallReply& reply) const {
  reply.return_code = entry();
  static_cast<void>(wait_for_all(reply));
}

// From an idle device to an idle device all that CUPTI traced is the call's. Work of every stream is in the span, so that
// none outlives it.
void CudaCalls::take_spans(CallReply& reply) const {
  std::vector<cuda::ActivitySpan> spans;
  if (!holds_clock(reply, cupti_->finish(spans))) {
    return;
  }
  if (spans.empty()) {
    reply.timing_status = TimingStatus::no_work;
    return;
  }
  const cuda::ActivitySummary summary = cuda::summarise_activity(std::move(spans));
  reply.elapsed_ns = summary.elapsed_ns;
  reply.idle_ns = summary.idle_ns;
}

bool CudaCalls::wait_for_all(CallReply& reply) const {
  return holds(reply, driver_->cuCtxSetCurrent(context_.handle())) && holds(reply, driver_->cuCtxSynchronize());
}

cuda::abi::Result CudaCalls::launch_sweep() const {
  auto words = sweep_.address();
  auto count = static_cast<unsigned long long>(sweep_.size() / kWord);
  auto sink = sweep_.address();
  void* arguments[] = {&words, &count, &sink};
  return driver_->cuLaunchKernel(sweep_kernel_, sweep_blocks_, 1, 1, kSweepThreads, 1, 1, 0, stream_.handle(),
                                 arguments, nullptr);
}

cuda::abi::Result CudaCalls::launch_occupation() const {
  auto nanoseconds = kOccupyNs;
  void* arguments[] = {&nanoseconds};
  return driver_->cuLaunchKernel(occupy_kernel_, 1, 1, 1, 1, 1, 1, 0, stream_.handle(), arguments, nullptr);
}

base::Result<std::int64_t> CudaCalls::measure_floor(const base::Timing& timing) {
  ASSAY_TRY(enable(timing.method));
  const Entry empty = [this] {
    return driver_->cuLaunchKernel(empty_kernel_, 1, 1, 1, 1, 1, 1, 0, stream_.handle(), nullptr, nullptr);
  };
  std::array<std::int64_t, kFloorCalls> times{};
  for (std::int64_t& one : times) {
    static_cast<void>(wake(timing));  // What fails here fails in the call too.
    CallReply reply;
    if (timing.method == base::TimingMethod::graph) {
      reply = capture(empty);
    }
    if (reply.device_status == cuda::abi::kSuccess) {
      reply = time(timing, empty);
    }
    if (timing.method == base::TimingMethod::cupti && reply.device_status == cuda::abi::kSuccess &&
        reply.return_code == 0) {
      reply = collect();
    }
    if (reply.timing_status == TimingStatus::no_work) {
      return base::environment_error("worker.floor",
                                     "CUPTI sees no kernel of this process: see that no other program "
                                     "traces it, or time by events");
    }
    if (reply.timing_status == TimingStatus::clock_failed) {
      return base::environment_error(
          "worker.floor", fmt::format("CUPTI gives no times (status {}): time by events", reply.device_status));
    }
    ASSAY_TRY(cuda::check(reply.device_status, "an empty kernel"));
    ASSAY_TRY(cuda::check(reply.return_code, "cuLaunchKernel"));
    one = reply.elapsed_ns;
  }
  graph_.reset();
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace assay::worker
