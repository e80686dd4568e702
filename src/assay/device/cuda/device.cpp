#include <assay/device/cuda/device.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

#include <assay/device/cpu.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/memory.hpp>

namespace assay::device::cuda {

namespace {

class CudaDevice final : public Device {
 public:
  CudaDevice(int ordinal, DeviceFacts facts) : ordinal_(ordinal), facts_(std::move(facts)), host_(make_cpu()) {}

  [[nodiscard]] std::string name() const override { return fmt::format("cuda:{}", ordinal_); }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe() const override {
    std::vector<std::pair<std::string, std::string>> all = host_->describe();
    all.insert(all.end(), {{"gpu", facts_.name},
                           {"gpu_uuid", facts_.uuid},
                           {"gpu_architecture", architecture()},
                           {"gpu_multiprocessors", std::to_string(facts_.multiprocessors)},
                           {"gpu_l2_bytes", std::to_string(facts_.l2_bytes)},
                           {"cuda_driver",
                            fmt::format("{}.{}", facts_.driver_version / 1000, facts_.driver_version % 1000 / 10)}});
    return all;
  }

  void place_judge() const override { host_->place_judge(); }
  void spread_judge() const override { host_->spread_judge(); }
  base::Result<void> place_worker(const std::function<base::Result<void>()>& start) const override {
    return host_->place_worker(start);
  }

  base::Result<std::unique_ptr<CallMemory>> create_memory(std::size_t size, os::PeerAccess) const override {
    ASSAY_TRY_ASSIGN(const Context* current, context());
    ASSAY_TRY_ASSIGN(auto memory, ImagedMemory::create(*current, size));
    return memory;
  }

  [[nodiscard]] WorkerAccess worker_access() const override {
    WorkerAccess access = find_driver_files(ordinal_);
    access.cuda_ordinal = ordinal_;
    return access;
  }

  [[nodiscard]] std::optional<int> cuda_ordinal() const override { return ordinal_; }

  [[nodiscard]] std::string architecture() const override { return architecture_of(facts_.major, facts_.minor); }

  void warm_up() const override { static_cast<void>(measured_bytes_per_ns()); }

  base::Result<std::optional<double>> measured_bytes_per_ns() const override {
    ASSAY_TRY_ASSIGN(const Context* current, context());
    const std::lock_guard lock(mutex_);
    if (bytes_per_ns_ == 0) {
      ASSAY_TRY_ASSIGN(bytes_per_ns_, measure_copy(*current));
    }
    return bytes_per_ns_;
  }

  void evict(std::span<const std::byte>) const override {}  // The worker sweeps the cache on the call's own stream.

  [[nodiscard]] std::chrono::nanoseconds observe(const CallKey&, std::chrono::nanoseconds by_worker) const override {
    return by_worker;
  }

 private:
  // Retained at the first use, which takes a third of a second, and made current: callers may be on any thread.
  base::Result<const Context*> context() const {
    const std::lock_guard lock(mutex_);
    if (!context_) {
      ASSAY_TRY_ASSIGN(context_, Context::retain(ordinal_));
    }
    ASSAY_TRY(context_->make_current());
    return &*context_;
  }

  // Bytes read and written by a copy of 512 MiB, the best of five.
  static base::Result<double> measure_copy(const Context& context) {
    constexpr std::size_t kBytes = std::size_t{512} << 20U;
    ASSAY_TRY_ASSIGN(const Driver* driver, open_driver());
    ASSAY_TRY_ASSIGN(const Memory from, Memory::create(context, kBytes));
    ASSAY_TRY_ASSIGN(const Memory to, Memory::create(context, kBytes));
    ASSAY_TRY_ASSIGN(const Stream stream, Stream::create());
    ASSAY_TRY_ASSIGN(const Event before, Event::create());
    ASSAY_TRY_ASSIGN(const Event after, Event::create());
    ASSAY_TRY(check(driver->cuMemsetD8Async(from.address(), 0x5a, kBytes, stream.handle()), "cuMemsetD8Async"));
    double best = 0;
    for (int pass = 0; pass < 5; ++pass) {
      ASSAY_TRY(before.record(stream));
      ASSAY_TRY(check(driver->cuMemcpyDtoDAsync_v2(to.address(), from.address(), kBytes, stream.handle()),
                      "cuMemcpyDtoDAsync"));
      ASSAY_TRY(after.record(stream));
      ASSAY_TRY(after.synchronize());
      ASSAY_TRY_ASSIGN(const std::int64_t ns, elapsed_ns(before, after));
      best = std::max(best, 2.0 * static_cast<double>(kBytes) / static_cast<double>(std::max<std::int64_t>(1, ns)));
    }
    return best;
  }

  int ordinal_;
  DeviceFacts facts_;
  std::unique_ptr<Device> host_;
  mutable std::mutex mutex_;
  mutable std::optional<Context> context_;
  mutable double bytes_per_ns_ = 0;  ///< Measured once.
};

// Whether a file in a folder of the system is the driver's.
bool is_of_the_driver(const std::string& name) {
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-") || name.starts_with("libcudadebugger") ||
         name.starts_with("libnvcuvid");
}

}  // namespace

std::string architecture_of(int major, int minor) {
  // From 9.0 on, the generation's own instructions need the "a" target.
  return fmt::format("sm_{}{}{}", major, minor, major >= 9 ? "a" : "");
}

WorkerAccess find_driver_files(int ordinal) {
  WorkerAccess access;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* symbol = library == nullptr ? nullptr : dlsym(library, "cuInit");
  Dl_info where{};
  if (symbol != nullptr && dladdr(symbol, &where) != 0 && where.dli_fname != nullptr) {
    std::error_code error;
    const os::Path real = std::filesystem::canonical(where.dli_fname, error);
    std::set<os::Path> folders = {os::Path(where.dli_fname).parent_path()};
    if (!error) {
      folders.insert(real.parent_path());
    }
    for (const os::Path& folder : folders) {
      access.library_folders.push_back(folder);
      for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
           entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (is_of_the_driver(name) && entry->is_regular_file(ignored)) {
          access.binds.push_back({entry->path(), entry->path(), os::SandboxBind::Use::read});
        }
      }
    }
  }
  for (const std::string& node : {std::string("/dev/nvidiactl"), std::string("/dev/nvidia-uvm"),
                                  std::string("/dev/nvidia-uvm-tools"), fmt::format("/dev/nvidia{}", ordinal)}) {
    std::error_code ignored;
    if (std::filesystem::is_character_file(node, ignored)) {
      access.nodes.emplace_back(node);
    }
  }
  return access;
}

base::Result<std::unique_ptr<Device>> make_device(int ordinal) {
  ASSAY_TRY_ASSIGN(DeviceFacts facts, describe_device(ordinal));
  return std::make_unique<CudaDevice>(ordinal, std::move(facts));
}

}  // namespace assay::device::cuda
