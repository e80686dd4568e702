#include <assay/device/cuda/device.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>

#include <assay/device/cpu.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/matrix_peaks.hpp>
#include <assay/device/cuda/memory.hpp>
#include <assay/device/cuda/nvml.hpp>
#include <assay/device/cuda/placer.hpp>

namespace assay::device::cuda {

namespace {

constexpr int kLeastCanaryBatches = 3;
constexpr int kMostCanaryBatches = 60;
constexpr std::int64_t kCanaryAgreement = 100;  // To one part in so many.

// A large copy on the device, timed by events: what the memory gives.
class Copier {
 public:
  static constexpr std::size_t kBytes = std::size_t{512} << 20U;

  static base::Result<Copier> create(const Context& context) {
    Copier copier;
    ASSAY_TRY_ASSIGN(copier.driver_, open_driver());
    ASSAY_TRY_ASSIGN(copier.from_, Memory::create(context, kBytes));
    ASSAY_TRY_ASSIGN(copier.to_, Memory::create(context, kBytes));
    ASSAY_TRY_ASSIGN(copier.stream_, Stream::create());
    ASSAY_TRY_ASSIGN(copier.before_, Event::create());
    ASSAY_TRY_ASSIGN(copier.after_, Event::create());
    ASSAY_TRY(check(copier.driver_->cuMemsetD8Async(copier.from_.address(), 0x5a, kBytes, copier.stream_.handle()),
                    "cuMemsetD8Async"));
    return copier;
  }

  [[nodiscard]] base::Result<std::int64_t> time_ns() const {
    ASSAY_TRY(before_.record(stream_));
    ASSAY_TRY(check(driver_->cuMemcpyDtoDAsync_v2(to_.address(), from_.address(), kBytes, stream_.handle()),
                    "cuMemcpyDtoDAsync"));
    ASSAY_TRY(after_.record(stream_));
    ASSAY_TRY(after_.synchronize());
    return elapsed_ns(before_, after_);
  }

  [[nodiscard]] base::Result<std::int64_t> median_ns() const {
    std::array<std::int64_t, 11> times{};
    for (std::int64_t& one : times) {
      ASSAY_TRY_ASSIGN(one, time_ns());
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

 private:
  Copier() = default;
  const Driver* driver_ = nullptr;
  Memory from_;
  Memory to_;
  Stream stream_;
  Event before_;
  Event after_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(int ordinal, DeviceFacts facts, std::string architecture)
      : ordinal_(ordinal), facts_(std::move(facts)), architecture_(std::move(architecture)), host_(make_cpu()) {
    if (auto opened = Nvml::open(facts_.uuid)) {
      nvml_ = std::move(*opened);
    } else {
      no_nvml_ = opened.error().message;
    }
  }

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
    const std::optional<DeviceState> now = state();
    all.emplace_back("gpu_power_limit_watts", now ? fmt::format("{:.0f}", now->power_limit_watts) : "unknown");
    const auto settings = nvml_ ? nvml_->settings() : base::Result<DeviceSettings>(DeviceSettings{});
    const bool told = nvml_ && settings.has_value();
    all.emplace_back("gpu_driver", told ? settings->driver_version : "unknown");
    all.emplace_back("gpu_clocks", told ? clock_text(*settings) : "unknown");
    all.emplace_back("nvml", now ? "present" : nvml_ ? "absent: it gives no answer" : "absent: " + no_nvml_);
    return all;
  }

  void place_judge() const override { host_->place_judge(); }
  void spread_judge() const override { host_->spread_judge(); }
  base::Result<void> place_worker(const std::function<base::Result<void>()>& start) const override {
    return host_->place_worker(start);
  }

  base::Result<std::unique_ptr<CallMemory>> create_memory(std::size_t size, os::PeerAccess) const override {
    ASSAY_TRY_ASSIGN(const Context* current, context());
    ASSAY_TRY_ASSIGN(auto memory, ImagedMemory::create(*current, *placer_, size));
    return memory;
  }

  [[nodiscard]] WorkerAccess worker_access() const override {
    WorkerAccess access = find_driver_files(ordinal_);
    access.cuda_ordinal = ordinal_;
    return access;
  }

  [[nodiscard]] std::optional<int> cuda_ordinal() const override { return ordinal_; }

  [[nodiscard]] std::string architecture() const override { return architecture_; }

  void warm_up() const override { static_cast<void>(measured_bytes_per_ns()); }

  base::Result<std::optional<double>> measured_bytes_per_ns() const override {
    ASSAY_TRY_ASSIGN(const Context* current, context());
    const std::lock_guard lock(mutex_);
    if (bytes_per_ns_ == 0) {
      ASSAY_TRY_ASSIGN(bytes_per_ns_, measure_copy(*current));
    }
    return bytes_per_ns_;
  }

  base::Result<std::optional<DevicePeaks>> measure_peaks() const override {
    ASSAY_TRY_ASSIGN(const Context* current, context());
    DevicePeaks peaks;
    ASSAY_TRY_ASSIGN(peaks.bytes_per_ns, measure_copy(*current));
    ASSAY_TRY(measure_matrix_peaks(*current, peaks));
    return peaks;
  }

  [[nodiscard]] std::optional<DeviceState> state() const override {
    if (!nvml_) {
      return std::nullopt;
    }
    auto now = nvml_->state();
    return now ? std::optional(std::move(*now)) : std::nullopt;
  }

  [[nodiscard]] std::vector<BusySample> busy_samples(std::int64_t after_us) const override {
    auto samples = nvml_ ? nvml_->busy_samples(after_us) : std::vector<BusySample>();
    return samples ? std::move(*samples) : std::vector<BusySample>();
  }

  base::Result<std::optional<std::chrono::nanoseconds>> time_canary() const override {
    ASSAY_TRY_ASSIGN(const Context* current, context());
    ASSAY_TRY_ASSIGN(const Copier copier, Copier::create(*current));
    // From idle the clocks take a while to rise: until two batches in a row agree.
    std::int64_t before = 0;
    for (int batch = 0; batch < kMostCanaryBatches; ++batch) {
      ASSAY_TRY_ASSIGN(const std::int64_t now, copier.median_ns());
      if (batch >= kLeastCanaryBatches && std::abs(now - before) * kCanaryAgreement <= now) {
        return std::chrono::nanoseconds(std::min(now, before));
      }
      before = now;
    }
    return std::chrono::nanoseconds(before);
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
      placer_.emplace(*context_);
    }
    ASSAY_TRY(context_->make_current());
    return &*context_;
  }

  // Bytes read and written by a copy, the best of five.
  static base::Result<double> measure_copy(const Context& context) {
    ASSAY_TRY_ASSIGN(const Copier copier, Copier::create(context));
    std::int64_t best = 0;
    for (int pass = 0; pass < 5; ++pass) {
      ASSAY_TRY_ASSIGN(const std::int64_t ns, copier.time_ns());
      best = best == 0 ? ns : std::min(best, ns);
    }
    return 2.0 * static_cast<double>(Copier::kBytes) / static_cast<double>(std::max<std::int64_t>(1, best));
  }

  int ordinal_;
  DeviceFacts facts_;
  std::string architecture_;
  std::unique_ptr<Device> host_;
  std::unique_ptr<Nvml> nvml_;
  std::string no_nvml_;  ///< Why there is none.
  mutable std::mutex mutex_;
  mutable std::optional<Context> context_;
  mutable std::optional<Placer> placer_;  ///< Of all memories.
  mutable double bytes_per_ns_ = 0;       ///< Measured once.
};

// Whether a file in a folder of the system is the driver's.
bool is_of_the_driver(const std::string& name) {
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-") || name.starts_with("libcudadebugger") ||
         name.starts_with("libnvcuvid");
}

}  // namespace

base::Result<std::string> architecture_of(int major, int minor) {
  if (major < 7 || (major == 7 && minor < 5) || major > 99 || minor < 0 || minor > 9) {
    return base::environment_error(
        "device.architecture",
        fmt::format("a device of compute capability {}.{} is not supported: 7.5 is the least", major, minor));
  }
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
  ASSAY_TRY_ASSIGN(std::string architecture, architecture_of(facts.major, facts.minor));
  return std::make_unique<CudaDevice>(ordinal, std::move(facts), std::move(architecture));
}

}  // namespace assay::device::cuda
