#include <assay/worker/cuda_calls.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

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
constexpr unsigned kSweepThreads = 512;
constexpr std::size_t kWord = 16;

std::int64_t ns_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}

}  // namespace

base::Result<std::unique_ptr<CudaCalls>> CudaCalls::open(int ordinal) {
  ASSAY_TRY_ASSIGN(const cuda::DeviceFacts facts, cuda::describe_device(ordinal));
  ASSAY_TRY_ASSIGN(cuda::Context context, cuda::Context::retain(ordinal));
  ASSAY_TRY_ASSIGN(const cuda::Driver* driver, cuda::open_driver());
  std::unique_ptr<CudaCalls> calls(new CudaCalls(driver, std::move(context)));
  ASSAY_TRY_ASSIGN(calls->stream_, cuda::Stream::create(cuda::StreamKind::with_default_stream));
  ASSAY_TRY_ASSIGN(calls->before_, cuda::Event::create());
  ASSAY_TRY_ASSIGN(calls->after_, cuda::Event::create());
  ASSAY_TRY_ASSIGN(calls->code_, cuda::load_device_code("call_kernels", cuda::code::call_kernels()));
  ASSAY_TRY_ASSIGN(calls->sweep_kernel_, calls->code_.function("sweep_cache"));
  ASSAY_TRY_ASSIGN(calls->empty_kernel_, calls->code_.function("empty_kernel"));
  const std::size_t bytes = static_cast<std::size_t>(facts.l2_bytes) * kSweepOverCache / kWord * kWord;
  ASSAY_TRY_ASSIGN(calls->sweep_, cuda::Memory::create(calls->context_, bytes));
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

cuda::abi::Result CudaCalls::wake() const {
  cuda::abi::Result status = driver_->cuCtxSetCurrent(context_.handle());
  status = status == cuda::abi::kSuccess ? driver_->cuCtxResetPersistingL2Cache() : status;
  status = status == cuda::abi::kSuccess ? launch_sweep() : status;
  return status == cuda::abi::kSuccess ? driver_->cuCtxSynchronize() : status;
}

CallReply CudaCalls::time(const std::function<std::int32_t()>& entry) const {
  CallReply reply;
  const auto holds = [&](cuda::abi::Result result) {
    if (reply.device_status == cuda::abi::kSuccess) {
      reply.device_status = result;
    }
    return reply.device_status == cuda::abi::kSuccess;
  };
  if (!holds(driver_->cuCtxSetCurrent(context_.handle())) || !holds(launch_sweep()) ||
      !holds(driver_->cuEventRecord(before_.handle(), stream_.handle()))) {
    return reply;
  }
  reply.return_code = entry();
  if (!holds(driver_->cuCtxSetCurrent(context_.handle())) ||
      !holds(driver_->cuEventRecord(after_.handle(), stream_.handle())) ||
      !holds(driver_->cuEventSynchronize(after_.handle()))) {
    return reply;
  }
  const Clock::time_point stream_ended = Clock::now();
  if (!holds(driver_->cuCtxSynchronize())) {
    return reply;
  }
  reply.outlived_ns = ns_between(stream_ended, Clock::now());
  float milliseconds = 0;
  if (holds(driver_->cuEventElapsedTime(&milliseconds, before_.handle(), after_.handle()))) {
    reply.elapsed_ns = static_cast<std::int64_t>(static_cast<double>(std::max(0.0F, milliseconds)) * 1e6);
  }
  return reply;
}

cuda::abi::Result CudaCalls::launch_sweep() const {
  auto words = sweep_.address();
  auto count = static_cast<unsigned long long>(sweep_.size() / kWord);
  auto sink = sweep_.address();
  void* arguments[] = {&words, &count, &sink};
  return driver_->cuLaunchKernel(sweep_kernel_, sweep_blocks_, 1, 1, kSweepThreads, 1, 1, 0, stream_.handle(),
                                 arguments, nullptr);
}

std::int64_t CudaCalls::measure_floor() const {
  std::array<std::int64_t, kFloorCalls> times{};
  for (std::int64_t& one : times) {
    static_cast<void>(wake());  // What fails here fails in the call too.
    one = time([&] {
            return driver_->cuLaunchKernel(empty_kernel_, 1, 1, 1, 1, 1, 1, 0, stream_.handle(), nullptr, nullptr);
          }).elapsed_ns;
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace assay::worker
