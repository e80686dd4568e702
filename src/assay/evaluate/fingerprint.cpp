#include <assay/evaluate/fingerprint.hpp>

#include <assay/base/digest.hpp>
#include <assay/build/cuda_toolchain.hpp>
#include <assay/evaluate/program_digest.hpp>
#include <assay/os/sandbox/detect.hpp>

namespace assay::evaluate {

base::Result<build::Toolchain> usual_toolchain(const device::Device& device) {
  const std::string architecture = device.architecture();
  return architecture.empty() ? build::find_toolchain()
                              : build::find_nvcc(architecture, build::ObjectForm::shared_object);
}

base::Result<task::Named<std::string>> fingerprint(const device::Device& device, const build::Toolchain& toolchain,
                                                   const JudgeSettings& settings) {
  task::Named<std::string> entries;
  entries.emplace_back("device", device.name());
  for (auto& [name, value] : device.describe()) {
    entries.emplace_back(std::move(name), std::move(value));
  }
  entries.emplace_back("toolchain", toolchain.version);
  std::string flags;
  for (const std::string& flag : toolchain.flags) {
    flags += (flags.empty() ? "" : " ") + flag;
  }
  entries.emplace_back("flags", flags);
  const os::SandboxReport& sandbox = os::sandbox_support().report;
  entries.emplace_back("sandbox_level", base::to_string(sandbox.level()));
  for (auto& [name, state] : sandbox.lines()) {
    entries.emplace_back("sandbox_" + name, std::move(state));
  }
  ASSAY_TRY_ASSIGN(const base::Digest judge, program_digest("/proc/self/exe", settings.cache));
  ASSAY_TRY_ASSIGN(const base::Digest worker, program_digest(settings.worker, settings.cache));
  entries.emplace_back("judge_sha256", judge.hex());
  entries.emplace_back("worker_sha256", worker.hex());
  return entries;
}

}  // namespace assay::evaluate
