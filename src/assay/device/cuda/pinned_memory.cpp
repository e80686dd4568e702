#include <assay/device/cuda/pinned_memory.hpp>

#include <algorithm>
#include <utility>

namespace assay::device::cuda {

base::Result<PinnedMemory> PinnedMemory::create(std::size_t bytes) {
  ASSAY_TRY_ASSIGN(const Driver* driver, open_driver());
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  ASSAY_TRY_ASSIGN(os::SharedMemory memory, os::SharedMemory::create("pinned", size, os::PeerAccess::read_only));
  ASSAY_TRY(check(driver->cuMemHostRegister_v2(memory.bytes().data(), size, 0), "cuMemHostRegister"));
  PinnedMemory made;
  made.memory_ = std::move(memory);
  DevicePointer address = 0;
  ASSAY_TRY(check(driver->cuMemHostGetDevicePointer_v2(&address, made.bytes().data(), 0), "cuMemHostGetDevicePointer"));
  if (address != address_of(made.bytes())) {
    return base::environment_error("cuda.pinned_memory",
                                   "this device has other addresses for the host's memory than the host itself, as "
                                   "none does that has unified addressing: use another one");
  }
  return made;
}

PinnedMemory::~PinnedMemory() { unpin(); }

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  if (this != &other) {
    unpin();
    memory_ = std::exchange(other.memory_, {});
  }
  return *this;
}

void PinnedMemory::unpin() {
  if (const auto driver = open_driver(); driver && size() != 0) {
    (*driver)->cuMemHostUnregister(bytes().data());
  }
}

}  // namespace assay::device::cuda
