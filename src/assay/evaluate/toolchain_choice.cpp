#include <assay/evaluate/toolchain_choice.hpp>

#include <cstdlib>

#include <assay/build/cuda_toolchain.hpp>

namespace assay::evaluate {

base::Result<build::Toolchain> toolchain_for(const device::Device& device, const task::Solution& solution,
                                             const JudgeSettings& settings) {
  const std::string architecture = device.architecture();
  if (architecture.empty()) {
    return build::find_toolchain();
  }
  if (task::tier_of(solution) != task::Tier::device_only) {
    return build::find_nvcc(architecture, build::ObjectForm::shared_object);
  }
  base::Result<build::Toolchain> nvrtc = build::find_nvrtc(settings.nvrtc, architecture);
  const char* chosen = std::getenv("ASSAY_NVRTC");
  if (nvrtc || (chosen != nullptr && *chosen != '\0')) {  // What somebody chose is not replaced.
    return nvrtc;
  }
  return base::with_context(build::find_nvcc(architecture, build::ObjectForm::cubin), nvrtc.error().text());
}

}  // namespace assay::evaluate
