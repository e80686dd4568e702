#include <assay/device/cuda/nvml.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <assay/base/text.hpp>

#include <assay/os/library.hpp>

namespace assay::device::cuda {

namespace {

// NVML's binary interface, as far as it is used here; numbers and layouts are NVML's and never change within a name.
using NvmlResult = int;
using NvmlDevice = void*;
constexpr NvmlResult kInsufficientSize = 7;  // NVML_ERROR_INSUFFICIENT_SIZE
constexpr int kClockSm = 1;                  // NVML_CLOCK_SM
constexpr int kClockMemory = 2;              // NVML_CLOCK_MEM
constexpr int kSensorGpu = 0;                // NVML_TEMPERATURE_GPU
struct NvmlProcess {                         // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

constexpr NvmlResult kNotFound = 6;  // NVML_ERROR_NOT_FOUND
constexpr int kGpuUtilisation = 1;   // NVML_GPU_UTILIZATION_SAMPLES
constexpr int kUnsignedInt = 1;      // NVML_VALUE_TYPE_UNSIGNED_INT
struct NvmlSample {                  // nvmlSample_t
  unsigned long long time_us;
  union {
    double number;
    unsigned word;
    unsigned long long long_word;
  } value;
};

struct Table {
  NvmlResult (*nvmlInit_v2)();
  const char* (*nvmlErrorString)(NvmlResult);
  NvmlResult (*nvmlDeviceGetHandleByUUID)(const char*, NvmlDevice*);
  NvmlResult (*nvmlDeviceGetClockInfo)(NvmlDevice, int, unsigned*);
  NvmlResult (*nvmlDeviceGetTemperature)(NvmlDevice, int, unsigned*);
  NvmlResult (*nvmlDeviceGetPowerUsage)(NvmlDevice, unsigned*);
  NvmlResult (*nvmlDeviceGetEnforcedPowerLimit)(NvmlDevice, unsigned*);
  NvmlResult (*nvmlDeviceGetCurrentClocksThrottleReasons)(NvmlDevice, unsigned long long*);
  NvmlResult (*nvmlDeviceGetComputeRunningProcesses_v3)(NvmlDevice, unsigned*, NvmlProcess*);
  NvmlResult (*nvmlSystemGetDriverVersion)(char*, unsigned);
  NvmlResult (*nvmlDeviceGetMaxClockInfo)(NvmlDevice, int, unsigned*);
  NvmlResult (*nvmlDeviceGetApplicationsClock)(NvmlDevice, int, unsigned*);  ///< nullptr in drivers that dropped it.
  NvmlResult (*nvmlDeviceGetSamples)(NvmlDevice, int, unsigned long long, int*, unsigned*, NvmlSample*);
};

base::Result<Table> open_table() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // Never closed.
  if (library == nullptr) {
    const char* words = dlerror();
    return base::environment_error("cuda.nvml",
                                   fmt::format("NVML cannot be opened ({}): it comes with the NVIDIA driver",
                                               words == nullptr ? "libnvidia-ml.so.1" : base::printable(words)));
  }
  Table table{};
  os::FunctionFinder finder(library);
#define ASSAY_FIND(name) finder.find(table.name, #name)
  ASSAY_FIND(nvmlInit_v2);
  ASSAY_FIND(nvmlErrorString);
  ASSAY_FIND(nvmlDeviceGetHandleByUUID);
  ASSAY_FIND(nvmlDeviceGetClockInfo);
  ASSAY_FIND(nvmlDeviceGetTemperature);
  ASSAY_FIND(nvmlDeviceGetPowerUsage);
  ASSAY_FIND(nvmlDeviceGetEnforcedPowerLimit);
  ASSAY_FIND(nvmlDeviceGetCurrentClocksThrottleReasons);
  ASSAY_FIND(nvmlDeviceGetComputeRunningProcesses_v3);
  ASSAY_FIND(nvmlSystemGetDriverVersion);
  ASSAY_FIND(nvmlDeviceGetMaxClockInfo);
  ASSAY_FIND(nvmlDeviceGetSamples);
#undef ASSAY_FIND
  if (!finder.missing().empty()) {
    return base::environment_error("cuda.nvml",
                                   fmt::format("NVML has no {}: update the NVIDIA driver", finder.missing()));
  }
  os::FunctionFinder(library).find(table.nvmlDeviceGetApplicationsClock, "nvmlDeviceGetApplicationsClock");
  return table;
}

class OpenNvml final : public Nvml {
 public:
  OpenNvml(const Table& table, NvmlDevice device) : table_(table), device_(device) {}

  [[nodiscard]] base::Result<DeviceState> state() const override {
    DeviceState state;
    unsigned value = 0;
    ASSAY_TRY(check(table_.nvmlDeviceGetClockInfo(device_, kClockSm, &value), "nvmlDeviceGetClockInfo"));
    state.sm_mhz = static_cast<int>(value);
    ASSAY_TRY(check(table_.nvmlDeviceGetClockInfo(device_, kClockMemory, &value), "nvmlDeviceGetClockInfo"));
    state.memory_mhz = static_cast<int>(value);
    ASSAY_TRY(check(table_.nvmlDeviceGetTemperature(device_, kSensorGpu, &value), "nvmlDeviceGetTemperature"));
    state.temperature_celsius = static_cast<int>(value);
    ASSAY_TRY(check(table_.nvmlDeviceGetPowerUsage(device_, &value), "nvmlDeviceGetPowerUsage"));
    state.power_watts = static_cast<double>(value) / 1000;
    ASSAY_TRY(check(table_.nvmlDeviceGetEnforcedPowerLimit(device_, &value), "nvmlDeviceGetEnforcedPowerLimit"));
    state.power_limit_watts = static_cast<double>(value) / 1000;
    unsigned long long reasons = 0;
    ASSAY_TRY(check(table_.nvmlDeviceGetCurrentClocksThrottleReasons(device_, &reasons),
                    "nvmlDeviceGetCurrentClocksThrottleReasons"));
    state.throttle_reasons = reasons;
    state.throttled = throttle_text(reasons);
    ASSAY_TRY_ASSIGN(state.processes, processes());
    return state;
  }

  [[nodiscard]] base::Result<DeviceSettings> settings() const override {
    DeviceSettings settings;
    std::array<char, 96> version{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80.
    ASSAY_TRY(check(table_.nvmlSystemGetDriverVersion(version.data(), static_cast<unsigned>(version.size() - 1)),
                    "nvmlSystemGetDriverVersion"));
    settings.driver_version = base::printable(version.data());
    settings.most_sm_mhz = clock(table_.nvmlDeviceGetMaxClockInfo, kClockSm);
    settings.most_memory_mhz = clock(table_.nvmlDeviceGetMaxClockInfo, kClockMemory);
    settings.application_sm_mhz = clock(table_.nvmlDeviceGetApplicationsClock, kClockSm);
    settings.application_memory_mhz = clock(table_.nvmlDeviceGetApplicationsClock, kClockMemory);
    return settings;
  }

  [[nodiscard]] base::Result<std::vector<BusySample>> busy_samples(std::int64_t after_us) const override {
    const auto after = static_cast<unsigned long long>(after_us);
    int type = kUnsignedInt;
    unsigned count = 0;
    // How many there are at most; then those.
    NvmlResult result = table_.nvmlDeviceGetSamples(device_, kGpuUtilisation, after, &type, &count, nullptr);
    std::vector<NvmlSample> samples(count);
    if (result == 0 && count != 0) {
      result = table_.nvmlDeviceGetSamples(device_, kGpuUtilisation, after, &type, &count, samples.data());
    }
    if (result == kNotFound) {
      return std::vector<BusySample>();
    }
    ASSAY_TRY(check(result, "nvmlDeviceGetSamples"));
    if (count != 0 && type != kUnsignedInt) {
      return base::environment_error("cuda.nvml", fmt::format("nvmlDeviceGetSamples gives values of type {}", type));
    }
    std::vector<BusySample> busy;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, samples.size()); ++i) {
      busy.push_back({static_cast<std::int64_t>(samples[i].time_us), static_cast<double>(samples[i].value.word) / 100});
    }
    return busy;
  }

 private:
  // Not every device has every clock: what is not told is no error.
  [[nodiscard]] std::optional<int> clock(NvmlResult (*ask)(NvmlDevice, int, unsigned*), int which) const {
    unsigned mhz = 0;
    return ask != nullptr && ask(device_, which, &mhz) == 0 ? std::optional(static_cast<int>(mhz)) : std::nullopt;
  }

  [[nodiscard]] base::Result<void> check(NvmlResult result, const char* call) const {
    if (result == 0) {
      return {};
    }
    return base::environment_error("cuda.nvml", fmt::format("{}: {}", call, table_.nvmlErrorString(result)));
  }

  // The number grows while we ask; then the array is too small, and the answer is the number.
  [[nodiscard]] base::Result<int> processes() const {
    std::vector<NvmlProcess> list(64);
    auto count = static_cast<unsigned>(list.size());
    const NvmlResult result = table_.nvmlDeviceGetComputeRunningProcesses_v3(device_, &count, list.data());
    if (result != kInsufficientSize) {
      ASSAY_TRY(check(result, "nvmlDeviceGetComputeRunningProcesses"));
    }
    return static_cast<int>(count);
  }

  Table table_;
  NvmlDevice device_;
};

}  // namespace

std::string clock_text(const DeviceSettings& settings) {
  const auto mhz = [](const std::optional<int>& clock) {
    return clock ? fmt::format("{} MHz", *clock) : std::string("unknown");
  };
  return fmt::format("SM {} of {}, memory {} of {}", mhz(settings.application_sm_mhz), mhz(settings.most_sm_mhz),
                     mhz(settings.application_memory_mhz), mhz(settings.most_memory_mhz));
}

std::string throttle_text(std::uint64_t reasons) {
  // nvmlClocksEventReason…; idle (bit 0) and clocks that somebody set (bit 1) slow no kernel unexpectedly.
  constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kReasons = {{{0x4, "power limit"},
                                                                              {0x8, "hardware slowdown"},
                                                                              {0x20, "thermal slowdown"},
                                                                              {0x40, "hardware thermal slowdown"},
                                                                              {0x80, "power brake"},
                                                                              {0x10, "sync boost"}}};
  std::string text;
  for (const auto& [bit, words] : kReasons) {
    if ((reasons & bit) != 0) {
      text += (text.empty() ? "" : ", ") + std::string(words);
    }
  }
  return text;
}

base::Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& uuid) {
  ASSAY_TRY_ASSIGN(const Table table, open_table());
  if (const NvmlResult started = table.nvmlInit_v2(); started != 0) {
    return base::environment_error("cuda.nvml", fmt::format("nvmlInit: {}", table.nvmlErrorString(started)));
  }
  NvmlDevice device = nullptr;
  if (const NvmlResult found = table.nvmlDeviceGetHandleByUUID(uuid.c_str(), &device); found != 0) {
    return base::environment_error("cuda.nvml",
                                   fmt::format("NVML does not know {}: {}", uuid, table.nvmlErrorString(found)));
  }
  return std::make_unique<OpenNvml>(table, device);
}

}  // namespace assay::device::cuda
