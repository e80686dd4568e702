#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/verify/call_memory.hpp>

namespace assay::verify {

/// What OutputGuard does, for outputs that lie in device memory and stay there: the same poison in the tensors and the
/// same canaries in the guard bands, for the same (seed, call). The layout outlives it.
class DeviceOutputGuard {
 public:
  /// `address`: where the layout's outputs begin.
  DeviceOutputGuard(const Layout& layout, device::cuda::DevicePointer address, std::uint64_t seed, std::uint64_t call);

  /// Enqueues the fills. With `poisons` off the tensors keep what they hold.
  [[nodiscard]] base::Result<void> prepare(device::cuda::TrustedKernels& kernels, const device::cuda::Stream& stream,
                                           bool poisons = true) const;
  /// Enqueues the look at the guard bands, which leaves a word a band at `words`; what `found` says of these words.
  [[nodiscard]] std::size_t word_count() const { return bands_.size(); }
  [[nodiscard]] base::Result<void> enqueue_check(device::cuda::TrustedKernels& kernels,
                                                 device::cuda::DevicePointer words,
                                                 const device::cuda::Stream& stream) const;
  [[nodiscard]] std::optional<task::Finding> found(std::span<const std::uint64_t> words) const;
  /// Waits for the stream, and tells which guard bytes were changed: the first one.
  [[nodiscard]] base::Result<std::optional<task::Finding>> check(device::cuda::TrustedKernels& kernels,
                                                                 const device::cuda::Stream& stream) const;

 private:
  const Layout* layout_;
  std::vector<device::cuda::FilledRange> tensors_;
  std::vector<device::cuda::FilledRange> bands_;
  device::cuda::DevicePointer address_;
};

}  // namespace assay::verify
