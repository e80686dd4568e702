#include <assay/evaluate/kept_peaks.hpp>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>

namespace assay::evaluate {

namespace {

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 6> kDeciding = {"gpu",        "gpu_uuid",   "cuda_driver",
                                                       "gpu_driver", "gpu_clocks", "gpu_power_limit_watts"};

base::Json conditions_of(const device::Device& device) {
  base::Json conditions = {{"device_code", kVersion}};
  for (const auto& [name, value] : device.describe()) {
    if (std::find(kDeciding.begin(), kDeciding.end(), name) != kDeciding.end()) {
      conditions[name] = value;
    }
  }
  return conditions;
}

base::Json encode(const device::DevicePeaks& peaks, const base::Json& conditions) {
  return {{"version", kVersion},
          {"conditions", conditions},
          {"bytes_per_ns", peaks.bytes_per_ns},
          {"bf16_operations_per_ns", peaks.bf16_operations_per_ns},
          {"e4m3_operations_per_ns", peaks.e4m3_operations_per_ns},
          {"matrix_instruction", peaks.matrix_instruction},
          {"matrix_is_fastest", peaks.matrix_is_fastest}};
}

double read_peak(const task::Node& node) {
  const double value = node.number();
  if (!(value >= 0)) {
    node.problem("must be at least 0");
  }
  return value;
}

// Nothing if the file is not there, or is not of these conditions, or not whole: then it is measured.
std::optional<device::DevicePeaks> read_kept(const os::Path& file, const base::Json& conditions) {
  const auto text = os::read_file(file);
  if (!text) {
    return std::nullopt;
  }
  const auto json = base::parse_json(*text, file.string());
  if (!json || !json->is_object() || json->value("conditions", base::Json()) != conditions) {
    return std::nullopt;
  }
  const auto decoded = task::decode_whole(*json, task::Coercion::strict, [](const task::Node& node) {
    device::DevicePeaks peaks;
    task::Fields fields(node);
    static_cast<void>(fields.required("version").integer({.minimum = kVersion, .maximum = kVersion}));
    static_cast<void>(fields.required("conditions"));
    peaks.bytes_per_ns = read_peak(fields.required("bytes_per_ns"));
    peaks.bf16_operations_per_ns = read_peak(fields.required("bf16_operations_per_ns"));
    peaks.e4m3_operations_per_ns = read_peak(fields.required("e4m3_operations_per_ns"));
    peaks.matrix_instruction = fields.required("matrix_instruction").text();
    peaks.matrix_is_fastest = fields.required("matrix_is_fastest").boolean();
    fields.refuse_others();
    return peaks;
  });
  return decoded.value;
}

}  // namespace

device::DevicePeaks larger_of(const device::DevicePeaks& before, const device::DevicePeaks& now) {
  device::DevicePeaks larger = now;
  larger.bytes_per_ns = std::max(before.bytes_per_ns, now.bytes_per_ns);
  larger.bf16_operations_per_ns = std::max(before.bf16_operations_per_ns, now.bf16_operations_per_ns);
  larger.e4m3_operations_per_ns = std::max(before.e4m3_operations_per_ns, now.e4m3_operations_per_ns);
  return larger;
}

base::Result<std::optional<device::DevicePeaks>> kept_peaks(const device::Device& device, const os::Path& cache,
                                                            Measure measure) {
  const base::Json conditions = conditions_of(device);
  const os::Path folder = cache / "peaks";
  const os::Path file = folder / (base::sha256(base::dump_compact(conditions)).hex() + ".json");
  const std::optional<device::DevicePeaks> kept = read_kept(file, conditions);
  if (kept && measure == Measure::once) {
    return kept;
  }
  ASSAY_TRY_ASSIGN(const std::optional<device::DevicePeaks> measured, device.measure_peaks());
  if (!measured) {
    return std::nullopt;
  }
  const device::DevicePeaks peaks = kept ? larger_of(*kept, *measured) : *measured;
  ASSAY_TRY(os::create_directories(folder));
  ASSAY_TRY(os::write_file_atomic(file, base::dump_compact(encode(peaks, conditions)) + "\n"));
  return peaks;
}

}  // namespace assay::evaluate
