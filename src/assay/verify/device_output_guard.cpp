#include <assay/verify/device_output_guard.hpp>

namespace assay::verify {

using device::cuda::FillPattern;

DeviceOutputGuard::DeviceOutputGuard(const Layout& layout, device::cuda::DevicePointer address, std::uint64_t seed,
                                     std::uint64_t call)
    : layout_(&layout), address_(address) {
  const FillPattern poison = FillPattern::repeated(Poison::draw(seed, call).word);
  for (const Place& place : layout.outputs) {
    tensors_.push_back({{address + place.offset, place.bytes}, poison});
  }
  const FillPattern canary = FillPattern::repeated(draw_canary(seed, call));
  for (const auto& [begin, end] : guard_bands(layout)) {
    bands_.push_back({{address + begin, end - begin}, canary});
  }
}

base::Result<void> DeviceOutputGuard::prepare(device::cuda::TrustedKernels& kernels, const device::cuda::Stream& stream,
                                              bool poisons) const {
  std::vector<device::cuda::FilledRange> filled = bands_;
  if (poisons) {
    filled.insert(filled.end(), tensors_.begin(), tensors_.end());
  }
  return kernels.fill_all(filled, stream);
}

base::Result<void> DeviceOutputGuard::enqueue_check(device::cuda::TrustedKernels& kernels,
                                                    device::cuda::DevicePointer words,
                                                    const device::cuda::Stream& stream) const {
  return kernels.enqueue_check_fill(bands_, words, stream);
}

std::optional<task::Finding> DeviceOutputGuard::found(std::span<const std::uint64_t> words) const {
  ASSAY_CHECK(words.size() == bands_.size());
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    if (words[i] != device::cuda::TrustedKernels::kHolds) {
      return guard_overwritten(*layout_, bands_[i].range.address - address_ + words[i]);
    }
  }
  return std::nullopt;
}

base::Result<std::optional<task::Finding>> DeviceOutputGuard::check(device::cuda::TrustedKernels& kernels,
                                                                    const device::cuda::Stream& stream) const {
  ASSAY_TRY_ASSIGN(const auto changed, kernels.check_fill(bands_, stream));
  std::vector<std::uint64_t> words;
  for (const std::optional<std::size_t>& first : changed) {
    words.push_back(first.value_or(device::cuda::TrustedKernels::kHolds));
  }
  return found(words);
}

}  // namespace assay::verify
