#pragma once

#include <array>
#include <memory>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/placer.hpp>

namespace assay::device::cuda {

/// Memory of a GPU whose image lies in host memory: publish and fetch copy what was touched, and what the plan leaves to
/// be done is done on the GPU. Context and placer outlive it; the context becomes current on whatever thread copies.
class ImagedMemory final : public CallMemory {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<ImagedMemory>> create(const Context& context, Placer& placer,
                                                                          std::size_t size);
  ~ImagedMemory() override;
  ImagedMemory(const ImagedMemory&) = delete;
  ImagedMemory& operator=(const ImagedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const override { return image().bytes(); }
  [[nodiscard]] bool turn() override;
  void stage_other(std::size_t size) override;
  [[nodiscard]] std::vector<std::span<const std::byte>> present(std::size_t size) const override;
  [[nodiscard]] const os::Fd& descriptor() const override { return descriptor_; }
  base::Result<void> publish(std::size_t size) override;
  base::Result<void> fetch(std::size_t size) override;
  [[nodiscard]] std::optional<std::uint64_t> device_address() const override { return address(); }
  /// Where the bytes lie on the device, in this process.
  [[nodiscard]] DevicePointer address() const { return memory_.address(); }
  /// What publish does, enqueued only. The image stays as it is until the stream has come so far.
  [[nodiscard]] base::Result<void> enqueue_publish(std::size_t size, const Stream& stream);
  /// Whether a plan ever wrote to the device: from then on places that no later contents cover may differ from the image.
  [[nodiscard]] bool ever_placed() const { return !placed_.empty(); }

 private:
  ImagedMemory(const Context& context, Placer& placer) : context_(&context), placer_(&placer) {}
  [[nodiscard]] const os::SharedMemory& image() const { return images_[front()]; }
  void note_placed();
  /// What of an image is new besides its plan: copied from where it lies, or gathered with what the plan says.
  struct Parts {
    std::vector<std::span<const std::byte>> present;  ///< Of the image.
    std::vector<std::span<const std::byte>> large;
    std::vector<std::span<const std::byte>> gathered;
  };
  [[nodiscard]] Parts parts_of(std::size_t image, std::size_t size) const;
  [[nodiscard]] Placer::Task task_of(std::size_t image, const Parts& parts) const;
  /// What was staged of an image, and has not been published.
  struct Staging {
    std::uint64_t ticket = 0;  ///< 0: nothing.
    std::size_t size = 0;
    Parts parts;
  };
  const Context* context_;
  Placer* placer_;
  /// The first one's pages are there from the start, if they are not too many; the second gets them where it is touched.
  std::array<os::SharedMemory, 2> images_;
  Memory memory_;
  os::Fd descriptor_;
  Stream stream_;
  bool registered_ = false;
  std::array<Staging, 2> staging_;
  /// What of the image was touched when it was published last, by a plan, and how much of the image was; it is asked again.
  std::vector<std::span<const std::byte>> published_;
  std::size_t published_size_ = 0;  ///< 0: not known.
  std::size_t published_image_ = 0;
  std::vector<bool> placed_;  ///< Blocks of kPlacedBlock bytes that a plan ever wrote to; empty if none did.
};

/// The parts of `from` that lie in none of `without`, in order. Each list's own parts do not overlap.
[[nodiscard]] std::vector<std::span<const std::byte>> subtract(std::vector<std::span<const std::byte>> from,
                                                               std::vector<std::span<std::byte>> without);

}  // namespace assay::device::cuda
