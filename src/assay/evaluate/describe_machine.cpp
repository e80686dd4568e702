#include <assay/evaluate/describe_machine.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/build/toolchain.hpp>
#include <assay/device/cpu.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/describe_cuda.hpp>
#include <assay/evaluate/fingerprint.hpp>
#include <assay/os/sandbox/detect.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::evaluate {

namespace {

base::Json read_only_inputs() {
  const auto memory = os::SharedMemory::create("memory", 4096, os::PeerAccess::read_only);
  return capability("read-only inputs", memory.has_value(),
                    memory ? "memfd with F_SEAL_FUTURE_WRITE" : memory.error().text(), "needs Linux 5.1 or newer");
}

// The level first, then each mechanism.
void add_sandbox(base::Json& capabilities) {
  const os::SandboxReport& report = os::sandbox_support().report;
  capabilities.push_back(capability("sandbox", report.level() == base::SandboxLevel::full,
                                    fmt::format("level {}", base::to_string(report.level())),
                                    "see the mechanisms that are absent; a policy's minimum_sandbox refuses less"));
  const auto lines = report.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const os::MechanismEntry& entry = os::kMechanisms.at(i);
    const bool applied = report.applied.has(entry.mechanism);
    capabilities.push_back(capability(("sandbox " + lines[i].first).c_str(), applied,
                                      applied ? fmt::format("keeps from {}", entry.shuts) : lines[i].second,
                                      std::string(entry.remedy).c_str()));
  }
}

}  // namespace

base::Result<base::Json> describe_machine(const std::string& device_name, const JudgeSettings& settings) {
  ASSAY_TRY_ASSIGN(const auto opened, device::open_device(device_name));
  const device::Processor processor = device::describe_processor();
  const auto toolchain = build::find_toolchain();
  base::Json json;
  json["device"] = device_name;
  json["cpu"] = processor.model;
  json["cpu_features_sha256"] = processor.features_sha256;
  json["kernel"] = processor.kernel;
  json["isolation"] = base::to_string(os::sandbox_support().report.level());
  json["toolchains"] = base::Json::array();
  json["environment"] = base::Json::object();
  if (toolchain) {
    json["toolchains"].push_back(toolchain->version);
  }
  // Those of an evaluation on this device, or stored answers would never be found again.
  if (const auto of_device = usual_toolchain(*opened)) {
    ASSAY_TRY_ASSIGN(const auto environment, fingerprint(*opened, *of_device, settings));
    for (const auto& [name, value] : environment) {
      json["environment"][name] = value;
    }
  }
  json["capabilities"] = base::Json::array(
      {capability("C++ compiler", toolchain.has_value(), toolchain ? toolchain->version : toolchain.error().text(),
                  "install g++, or set ASSAY_CXX"),
       read_only_inputs()});
  add_cuda(json["capabilities"], settings);
  add_sandbox(json["capabilities"]);
  return json;
}

}  // namespace assay::evaluate
