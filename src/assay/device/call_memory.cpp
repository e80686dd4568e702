#include <assay/device/call_memory.hpp>

namespace assay::device {

namespace {

class HostMemory final : public CallMemory {
 public:
  explicit HostMemory(os::SharedMemory memory) : memory_(std::move(memory)) {}
  [[nodiscard]] std::span<std::byte> bytes() const override { return memory_.bytes(); }
  [[nodiscard]] std::vector<std::span<const std::byte>> present(std::size_t size) const override {
    return memory_.present(size);
  }
  [[nodiscard]] const os::Fd& descriptor() const override { return memory_.fd(); }
  base::Result<void> publish(std::size_t /*size*/) override {
    plan().settle();
    return {};
  }
  base::Result<void> fetch(std::size_t /*size*/) override { return {}; }

 private:
  os::SharedMemory memory_;
};

}  // namespace

base::Result<std::unique_ptr<CallMemory>> make_host_memory(std::size_t size, os::PeerAccess access) {
  // The name shows in the worker's /proc: the same for every memory.
  ASSAY_TRY_ASSIGN(os::SharedMemory memory, os::SharedMemory::create("memory", size, access));
  return std::make_unique<HostMemory>(std::move(memory));
}

}  // namespace assay::device
