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
  for (const auto& tensor : tensors_) {
    if (poisons) {
      ASSAY_TRY(kernels.fill(tensor, stream));
    }
  }
  for (const auto& band : bands_) {
    ASSAY_TRY(kernels.fill(band, stream));
  }
  return {};
}

base::Result<std::optional<task::Finding>> DeviceOutputGuard::check(device::cuda::TrustedKernels& kernels,
                                                                    const device::cuda::Stream& stream) const {
  ASSAY_TRY_ASSIGN(const auto changed, kernels.check_fill(bands_, stream));
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    if (changed[i]) {
      return guard_overwritten(*layout_, bands_[i].range.address - address_ + *changed[i]);
    }
  }
  return std::nullopt;
}

}  // namespace assay::verify
