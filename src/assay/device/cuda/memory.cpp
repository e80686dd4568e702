#include <assay/device/cuda/memory.hpp>

namespace assay::device::cuda {

base::Result<std::unique_ptr<ImagedMemory>> ImagedMemory::create(const Context& context, std::size_t size) {
  std::unique_ptr<ImagedMemory> made(new ImagedMemory(context));
  ASSAY_TRY_ASSIGN(const Driver* driver, open_driver());
  ASSAY_TRY_ASSIGN(made->image_, os::SharedMemory::create("image", size, os::PeerAccess::read_only));
  ASSAY_TRY_ASSIGN(made->memory_, Memory::create(context, size));
  ASSAY_TRY_ASSIGN(made->descriptor_, made->memory_.export_descriptor());
  ASSAY_TRY_ASSIGN(made->stream_, Stream::create());
  // Zeros like the image's, or parts of it that nobody touches would differ.
  ASSAY_TRY(check(driver->cuMemsetD8Async(made->address(), 0, size, made->stream_.handle()), "cuMemsetD8Async"));
  ASSAY_TRY(made->stream_.synchronize());
  // Pinned pages are copied several times as fast. Memory that has pages only where it is touched must stay so.
  if (size <= os::kLargestPresent) {
    ASSAY_TRY(check(driver->cuMemHostRegister_v2(made->image_.bytes().data(), size, 0), "cuMemHostRegister"));
    made->registered_ = true;
  }
  return made;
}

ImagedMemory::~ImagedMemory() {
  const auto driver = open_driver();
  if (registered_ && driver) {
    (*driver)->cuMemHostUnregister(image_.bytes().data());
  }
}

base::Result<void> ImagedMemory::publish(std::size_t size) {
  ASSAY_TRY(context_->make_current());
  for (const std::span<const std::byte> part : image_.present(size)) {
    const auto offset = static_cast<std::size_t>(part.data() - image_.bytes().data());
    ASSAY_TRY(copy_to_device(address() + offset, part, stream_));
  }
  return stream_.synchronize();
}

base::Result<void> ImagedMemory::fetch(std::size_t size) {
  ASSAY_TRY(context_->make_current());
  for (const std::span<const std::byte> part : image_.present(size)) {
    const auto offset = static_cast<std::size_t>(part.data() - image_.bytes().data());
    ASSAY_TRY(copy_from_device(image_.bytes().subspan(offset, part.size()), address() + offset, stream_));
  }
  return stream_.synchronize();
}

}  // namespace assay::device::cuda
