#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <assay/base/error.hpp>
#include <assay/base/timing.hpp>
#include <assay/device/cuda/cupti.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/os/fd.hpp>
#include <assay/worker/call_frame.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::worker {

/// The worker's half of a CUDA device: maps the judge's memory and times what an entry point puts on a stream. It shares
/// its process with the candidate, so nothing that it reports is believed without a check by the judge.
class CudaCalls {
 public:
  /// Opens the device's primary context, which CUDA's runtime library in a candidate then uses too.
  [[nodiscard]] static base::Result<std::unique_ptr<CudaCalls>> open(int ordinal);

  /// Maps exported device memories, replacing earlier ones: inputs read-only, outputs for reading and writing.
  [[nodiscard]] base::Result<void> map(const os::Fd& inputs, std::size_t inputs_size, const os::Fd& outputs,
                                       std::size_t outputs_size);

  [[nodiscard]] std::byte* inputs() const { return pointer(inputs_); }
  [[nodiscard]] std::byte* outputs() const { return pointer(outputs_); }
  [[nodiscard]] std::size_t inputs_size() const { return inputs_.size(); }
  [[nodiscard]] std::size_t outputs_size() const { return outputs_.size(); }
  [[nodiscard]] int ordinal() const { return context_.ordinal(); }
  /// A cudaStream_t that waits for the default stream's work, and it for ours: work put on either is timed.
  [[nodiscard]] void* stream() const { return stream_.handle(); }

  using Entry = std::function<std::int32_t()>;

  /// Makes this machine ready to time by a method, before any candidate is loaded. What it lacks is an environment error.
  [[nodiscard]] base::Result<void> enable(base::TimingMethod method);
  /// With {graph, cold} captures what `entry` puts on the stream, without running it; with `hot` makes the call once,
  /// untimed: by graph that of the last capture.
  [[nodiscard]] CallReply prepare(const base::Timing& timing, const Entry& entry);
  /// Makes the device ready for a call that is about to come, outside of what the judge times: lifts what an earlier call
  /// may have made persistent in the cache, which takes the driver long and never the same, and keeps the device from
  /// idling, without touching memory where the caches shall be hot. By CUPTI the caches are made what they shall be here,
  /// and tracing begins. Returns the driver's status.
  [[nodiscard]] device::cuda::abi::Result wake(const base::Timing& timing);
  /// Times one call: of `entry`, or by graph one launch of what was captured last. By CUPTI it is made, and its time comes
  /// from `collect`.
  [[nodiscard]] CallReply time(const base::Timing& timing, const Entry& entry) const;
  /// What CUPTI traced since `wake`: the times of a reply that has nothing else.
  [[nodiscard]] CallReply collect();
  /// Makes one call many times over, as worker::Series says. Ends with the first that fails.
  [[nodiscard]] SeriesReply time_series(std::uint16_t untimed, std::uint16_t timed, const Entry& entry) const;
  /// Runs one call whose tensors lie in host memory on copies of exactly their sizes; outputs are copied back. Not timed.
  [[nodiscard]] CallReply run_on_copies(CallFrame& frame, const Entry& entry) const;
  /// Whether `time` may be called with this timing: its method is enabled, and something was captured if it must be.
  [[nodiscard]] bool is_ready(const base::Timing& timing) const;
  /// Median time of calls that launch one empty kernel. Forgets what was captured.
  [[nodiscard]] base::Result<std::int64_t> measure_floor(const base::Timing& timing);

 private:
  CudaCalls(const device::cuda::Driver* driver, device::cuda::Context context)
      : driver_(driver), context_(std::move(context)) {}
  [[nodiscard]] CallReply capture(const Entry& entry);
  void time_by_events(base::CacheState cache, const std::function<void(CallReply&)>& launch, CallReply& reply) const;
  void call_and_wait(const Entry& entry, CallReply& reply) const;
  void take_spans(CallReply& reply) const;
  [[nodiscard]] bool wait_for_all(CallReply& reply) const;
  [[nodiscard]] device::cuda::abi::Result launch_sweep() const;
  [[nodiscard]] device::cuda::abi::Result launch_occupation() const;
  [[nodiscard]] static std::byte* pointer(const device::cuda::Memory& memory) {
    return reinterpret_cast<std::byte*>(memory.address());
  }

  const device::cuda::Driver* driver_;
  device::cuda::Context context_;
  device::cuda::Stream stream_;
  device::cuda::Event start_;   ///< Before the sweep.
  device::cuda::Event before_;  ///< Before the call.
  device::cuda::Event after_;
  device::cuda::Module code_;
  device::cuda::abi::FunctionHandle sweep_kernel_ = nullptr;
  device::cuda::abi::FunctionHandle empty_kernel_ = nullptr;
  device::cuda::abi::FunctionHandle occupy_kernel_ = nullptr;
  unsigned sweep_blocks_ = 1;
  device::cuda::Memory sweep_;    ///< What is read to fill the cache with.
  std::size_t zeroed_bytes_ = 0;  ///< Of it, what another evaluator would write to for the same purpose.
  device::cuda::Memory inputs_;
  device::cuda::Memory outputs_;
  device::cuda::GraphExec graph_;                         ///< Of the last capture.
  device::cuda::Cupti* cupti_ = nullptr;                  ///< Once enabled; the process's.
  std::optional<device::cuda::cupti_abi::Result> begun_;  ///< What tracing's beginning gave, until it is collected.
};

}  // namespace assay::worker
