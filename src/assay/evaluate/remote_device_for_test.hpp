#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/device/device.hpp>

namespace assay::evaluate {

/// Test only: a device that says that it is a GPU, for what is decided by that alone; a test that wants more of it adds that.
/// Its memory is the host's.
class RemoteDevice : public device::Device {
 public:
  [[nodiscard]] std::string name() const override { return "cuda:3"; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe() const override {
    return {{"gpu", "a GPU"}, {"gpu_uuid", "GPU-1"}};
  }
  void place_judge() const override {}
  void spread_judge() const override {}
  base::Result<void> place_worker(const std::function<base::Result<void>()>& start) const override { return start(); }
  base::Result<std::unique_ptr<device::CallMemory>> create_memory(std::size_t size,
                                                                  os::PeerAccess access) const override {
    return device::make_host_memory(size, access);
  }
  [[nodiscard]] device::WorkerAccess worker_access() const override {
    device::WorkerAccess access;
    access.nodes = {"/dev/nvidia3"};
    access.library_folders = {"/usr/lib/driver"};
    access.cuda_ordinal = 3;
    return access;
  }
  [[nodiscard]] std::string architecture() const override { return "sm_90a"; }
  [[nodiscard]] std::optional<int> cuda_ordinal() const override { return 3; }
  void evict(std::span<const std::byte>) const override {}
  [[nodiscard]] std::chrono::nanoseconds observe(const device::CallKey&,
                                                 std::chrono::nanoseconds by_worker) const override {
    return by_worker;
  }
};

}  // namespace assay::evaluate
