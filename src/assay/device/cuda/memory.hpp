#pragma once

#include <memory>

#include <assay/base/error.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/device/cuda/driver.hpp>

namespace assay::device::cuda {

/// Memory of a GPU whose image lies in host memory: publish and fetch copy what was touched.
class ImagedMemory final : public CallMemory {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<ImagedMemory>> create(const Context& context, std::size_t size);
  ~ImagedMemory() override;
  ImagedMemory(const ImagedMemory&) = delete;
  ImagedMemory& operator=(const ImagedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const override { return image_.bytes(); }
  [[nodiscard]] std::vector<std::span<const std::byte>> present(std::size_t size) const override {
    return image_.present(size);
  }
  [[nodiscard]] const os::Fd& descriptor() const override { return descriptor_; }
  base::Result<void> publish(std::size_t size) override;
  base::Result<void> fetch(std::size_t size) override;
  [[nodiscard]] std::optional<std::uint64_t> device_address() const override { return address(); }
  /// Where the bytes lie on the device, in this process.
  [[nodiscard]] DevicePointer address() const { return memory_.address(); }

 private:
  ImagedMemory() = default;
  os::SharedMemory image_;
  Memory memory_;
  os::Fd descriptor_;
  Stream stream_;
  bool registered_ = false;
};

}  // namespace assay::device::cuda
