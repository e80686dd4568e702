#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <assay/device/cuda/pinned_memory.hpp>
#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/evaluate/call_checker.hpp>
#include <assay/evaluate/gpu_clock.hpp>
#include <assay/operators/cuda/device_check.hpp>
#include <assay/operators/cuda/device_reference.hpp>

namespace assay::evaluate {

/// What the GPU does for the judge about one block of calls after the other: makes the inputs visible, digests them,
/// computes what is expected and holds outputs against it, all on one stream of the judge's. What begins with `enqueue`
/// returns before it is done; `arrive` waits. For one thread, on which the context is current.
class DeviceBlock {
 public:
  using DevicePointer = device::cuda::DevicePointer;

  /// nullptr where the operator has no reference or no comparison on a GPU. `op` outlives it.
  [[nodiscard]] static base::Result<std::unique_ptr<DeviceBlock>> make(int ordinal, const operators::Operator& op);

  /// Makes room, at once, for what is expected of the calls of any of these blocks.
  [[nodiscard]] base::Result<void> reserve(std::span<const BlockSize> blocks);
  /// Enqueues the inputs, their digest and what is expected of the calls, as far as it is asked for. The inputs outlive
  /// the block.
  [[nodiscard]] base::Result<void> enqueue(const BlockInputs& inputs, const BlockQuestions& questions);
  /// Waits for all that was enqueued: before a call, so that it sees its inputs and the device is its own.
  [[nodiscard]] base::Result<void> arrive();
  /// Enqueues another digest of the inputs.
  [[nodiscard]] base::Result<void> enqueue_inputs_look();
  /// Tells of it, of this block or of the one before.
  [[nodiscard]] base::Result<bool> inputs_changed(WhichBlock which);
  /// What the device says of outputs that lie here; what is expected has been computed. First it is enqueued, with
  /// pinned memory of DeviceCheck::kResultBytes an output for what it finds; once that has arrived it is read, with
  /// their places in the block that they are of.
  [[nodiscard]] base::Result<void> enqueue_verdict(DevicePointer outputs, std::span<std::byte> result);
  [[nodiscard]] operators::cuda::DeviceVerdict read_verdict(const verify::Layout& layout, DevicePointer outputs,
                                                            std::span<const std::byte> result);
  /// How far floating outputs that lie here are from what is expected; nullopt if there are none.
  [[nodiscard]] base::Result<std::optional<tensor::LargestErrors>> errors_of(DevicePointer outputs);

  [[nodiscard]] const BlockInputs& inputs() const;
  [[nodiscard]] const device::cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] device::cuda::TrustedKernels& kernels() { return *kernels_; }
  [[nodiscard]] GpuClock& clock() { return clock_; }
  [[nodiscard]] const GpuClock& clock() const { return clock_; }
  [[nodiscard]] double sweep_seconds() const { return sweep_seconds_; }
  [[nodiscard]] std::int64_t doubts() const { return doubts_; }
  /// Room for so many words of results, for what is enqueued next.
  [[nodiscard]] base::Result<DevicePointer> words_for(std::size_t count);
  /// Makes memory of the judge alone at least so large; what was in it is lost if it was not.
  [[nodiscard]] base::Result<void> grow(device::cuda::Memory& memory, std::size_t bytes) const;

 private:
  explicit DeviceBlock(device::cuda::Context context) : context_(std::move(context)) {}
  [[nodiscard]] base::Result<void> measure_sweep();
  /// What is digested of a block's inputs: before its calls and after them, as far as that was asked for.
  struct InputsLook {
    std::vector<std::span<const std::byte>> present;
    std::optional<std::uint64_t> before;
    bool is_coming = false;  ///< `before` is enqueued.
    bool has_begun = false;  ///< The digest after the calls is.
    device::cuda::Memory words;
    device::cuda::PinnedMemory results;

    /// Of what enqueue_digest left, once the stream has been waited for.
    [[nodiscard]] std::uint64_t digest_at(std::size_t first) const;
  };
  [[nodiscard]] base::Result<void> enqueue_digest(InputsLook& look, std::size_t first);
  [[nodiscard]] base::Result<void> compute_expected();
  /// Where each array of what is expected begins, and the scratch memory behind them all.
  struct ExpectedPlaces {
    std::vector<std::size_t> elements;
    std::vector<std::size_t> offsets;
    std::size_t scratch = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] base::Result<ExpectedPlaces> place_expected(const task::AxisValues& axes) const;

  device::cuda::Context context_;  // Outlives all that was made in it: first.
  device::cuda::Stream stream_;
  std::optional<device::cuda::TrustedKernels> kernels_;
  std::unique_ptr<operators::cuda::DeviceReference> reference_;
  std::unique_ptr<operators::cuda::DeviceCheck> check_;
  GpuClock clock_;
  double sweep_seconds_ = 0;

  device::cuda::Memory arena_;  ///< Expected values, then scratch.
  device::cuda::Memory words_;  ///< What a look at outputs leaves.

  std::optional<BlockInputs> inputs_;
  std::array<InputsLook, 2> looks_;  ///< Of this block and of the one before.
  std::size_t now_ = 0;              ///< Which is this block's.
  bool has_expected_ = false;
  std::vector<operators::cuda::DeviceArgument> arguments_;
  std::vector<std::size_t> elements_;
  std::vector<DevicePointer> expected_;
  DevicePointer scratch_ = 0;
  std::int64_t doubts_ = 0;
};

/// Where a memory of a call lies on the GPU; an internal error of one that lies nowhere there.
[[nodiscard]] base::Result<device::cuda::DevicePointer> address_on_device(const device::CallMemory& memory);

/// One number of several digests.
[[nodiscard]] std::uint64_t join_digests(std::span<const std::uint64_t> digests);

}  // namespace assay::evaluate
