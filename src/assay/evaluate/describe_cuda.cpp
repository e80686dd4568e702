#include <assay/evaluate/describe_cuda.hpp>

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/build/cuda_toolchain.hpp>
#include <assay/device/cuda/cupti.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/nvml.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/kept_peaks.hpp>
#include <assay/evaluate/sanitizer_run.hpp>
#include <assay/os/library.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kFloorLimit{10};

base::Json of_result(const char* name, const base::Result<std::string>& result, const char* remedy) {
  return result ? capability(name, true, *result, "") : capability(name, false, result.error().text(), remedy);
}

base::Json library(const char* name, const char* file, const char* remedy) {
  const bool found = os::loads_library(file);
  return capability(name, found, found ? file : fmt::format("{} is not installed", file), remedy);
}

base::Result<std::string> driver_version() {
  ASSAY_TRY_ASSIGN(const device::cuda::Driver* driver, device::cuda::open_driver());
  int version = 0;
  ASSAY_TRY(device::cuda::check(driver->cuDriverGetVersion(&version), "cuDriverGetVersion"));
  return fmt::format("libcuda.so.1, CUDA {}.{}", version / 1000, version % 1000 / 10);
}

base::Result<std::string> state_of(const std::string& uuid) {
  ASSAY_TRY_ASSIGN(const auto nvml, device::cuda::Nvml::open(uuid));
  ASSAY_TRY_ASSIGN(const device::DeviceState state, nvml->state());
  const std::string throttled = device::cuda::throttle_text(state.throttle_reasons);
  return fmt::format("SM {} MHz, memory {} MHz, {} degrees, {:.0f} of {:.0f} W{}", state.sm_mhz, state.memory_mhz,
                     state.temperature_celsius, state.power_watts, state.power_limit_watts,
                     throttled.empty() ? "" : ", slowed by: " + throttled);
}

base::Result<std::string> floor_text(worker::WorkerClient& client, base::TimingMethod method) {
  const auto floor = client.measure_floor({method, base::CacheState::cold}, kFloorLimit);
  if (!floor || floor->status != 0) {
    return base::environment_error("cuda.floor",
                                   fmt::format("an empty kernel cannot be timed by {}: {}", base::to_string(method),
                                               floor ? base::printable(floor->text) : floor.error().text));
  }
  return fmt::format("{:.2f} us by {}", static_cast<double>(floor->elapsed_ns) / 1000, base::to_string(method));
}

// Starts a worker as an evaluation does, sandbox and all.
base::Result<std::string> worker_on(const device::Device& device, const JudgeSettings& settings) {
  worker::WorkerOptions options;
  options.program = settings.worker;
  options.access = device.worker_access();
  const Clock::time_point start = Clock::now();
  ASSAY_TRY_ASSIGN(worker::WorkerClient client, worker::WorkerClient::start(options));
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  ASSAY_TRY_ASSIGN(const std::string events, floor_text(client, base::TimingMethod::events));
  ASSAY_TRY_ASSIGN(const std::string graph, floor_text(client, base::TimingMethod::graph));
  return fmt::format("ready in {} ms in the sandbox; an empty kernel takes {}, {}", taken.count(), events, graph);
}

// A worker that sees CUPTI, as one of a session that times by it.
base::Result<std::string> cupti_on(const device::Device& device, const JudgeSettings& settings) {
  worker::WorkerOptions options;
  options.program = settings.worker;
  options.access = device.worker_access();
  ASSAY_TRY_ASSIGN(const os::Path library, device::cuda::find_cupti());
  ASSAY_TRY(device::cuda::add_cupti(options.access, library));
  ASSAY_TRY_ASSIGN(worker::WorkerClient client, worker::WorkerClient::start(options));
  ASSAY_TRY_ASSIGN(const std::string floor, floor_text(client, base::TimingMethod::cupti));
  return "an empty kernel takes " + floor;
}

// Measured now; what is kept is the larger of this and of before.
base::Result<std::string> bandwidth_of(const base::Result<std::optional<device::DevicePeaks>>& peaks) {
  if (!peaks) {
    return tl::unexpected(peaks.error());
  }
  return fmt::format("{:.0f} GB/s read and written by a large copy",
                     peaks->value_or(device::DevicePeaks{}).bytes_per_ns);
}

// Operations a nanosecond, over 10^12 a second.
constexpr double kPerTera = 1000;

base::Result<std::string> matrices_of(const base::Result<std::optional<device::DevicePeaks>>& measured) {
  if (!measured) {
    return tl::unexpected(measured.error());
  }
  const device::DevicePeaks peaks = measured->value_or(device::DevicePeaks{});
  return fmt::format(
      "{:.0f} TFLOP/s of bf16, {} of e4m3, by {} on random values{}", peaks.bf16_operations_per_ns / kPerTera,
      peaks.e4m3_operations_per_ns > 0 ? fmt::format("{:.0f}", peaks.e4m3_operations_per_ns / kPerTera)
                                       : std::string("none"),
      peaks.matrix_instruction,
      peaks.matrix_is_fastest ? "" : "; this device has a faster instruction, so that no floor stands on it");
}

void add_device(base::Json& capabilities, int ordinal, const JudgeSettings& settings) {
  const std::string name = fmt::format("cuda:{}", ordinal);
  const auto facts = device::cuda::describe_device(ordinal);
  const auto opened = facts ? device::open_device(name) : tl::unexpected(facts.error());
  if (!opened) {
    capabilities.push_back(capability(name.c_str(), false, opened.error().text(), "see what nvidia-smi says"));
    return;
  }
  capabilities.push_back(
      capability(name.c_str(), true,
                 fmt::format("{}, {}, {} multiprocessors, {} and {} of second-level cache", facts->name,
                             (*opened)->architecture(), facts->multiprocessors, base::human_bytes(facts->memory_bytes),
                             base::human_bytes(static_cast<std::uint64_t>(facts->l2_bytes))),
                 ""));
  capabilities.push_back(of_result((name + " state").c_str(), state_of(facts->uuid),
                                   "clocks and temperature cannot be recorded without NVML"));
  const auto peaks = kept_peaks(**opened, settings.cache, Measure::again);
  capabilities.push_back(of_result((name + " memory").c_str(), bandwidth_of(peaks), "see what nvidia-smi says"));
  capabilities.push_back(of_result((name + " matrices").c_str(), matrices_of(peaks), "see what nvidia-smi says"));
  capabilities.push_back(of_result((name + " worker").c_str(), worker_on(**opened, settings),
                                   "CUDA candidates cannot run here; see the driver's words"));
  capabilities.push_back(of_result((name + " cupti").c_str(), cupti_on(**opened, settings),
                                   "--clock cupti cannot be used; events and graph can"));
}

// Compilers and libraries that are of use with any device, or before there is one.
void add_toolkit(base::Json& capabilities) {
  const auto nvcc = build::find_nvcc("sm_90a", build::ObjectForm::shared_object);
  capabilities.push_back(capability("nvcc", nvcc.has_value(), nvcc ? nvcc->name : nvcc.error().text(),
                                    "install the CUDA toolkit, or set ASSAY_NVCC"));
  const auto sanitizer = find_compute_sanitizer();
  capabilities.push_back(capability("compute-sanitizer", sanitizer.has_value(),
                                    sanitizer ? sanitizer->string() : sanitizer.error().text(),
                                    "install the CUDA toolkit: `assay evaluate --sanitize` needs it"));
  capabilities.push_back(
      library("NVRTC", "libnvrtc.so.13", "install the CUDA toolkit: it compiles cubins in a library"));
  const base::Result<os::Path> cupti = device::cuda::find_cupti();
  capabilities.push_back(capability("CUPTI", cupti.has_value(), cupti ? cupti->string() : cupti.error().text(),
                                    "install the CUDA toolkit: kernels cannot be traced singly"));
}

}  // namespace

base::Json capability(const char* name, bool available, std::string detail, std::string remedy) {
  return {{"name", name},
          {"available", available},
          {"detail", std::move(detail)},
          {"remedy", available ? std::string() : std::move(remedy)}};
}

void add_cuda(base::Json& capabilities, const JudgeSettings& settings) {
  const base::Result<std::string> version = driver_version();
  capabilities.push_back(
      of_result("NVIDIA driver", version, "CUDA candidates need an NVIDIA GPU and its driver; C++ candidates do not"));
  add_toolkit(capabilities);
  int count = 0;
  if (version && (*device::cuda::open_driver())->cuDeviceGetCount(&count) == device::cuda::abi::kSuccess) {
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      add_device(capabilities, ordinal, settings);
    }
  }
}

}  // namespace assay::evaluate
