#include <assay/device/cuda/device_code.hpp>

#include <fmt/format.h>

namespace assay::device::cuda {

base::Result<Module> load_device_code(std::string_view name, DeviceCode code) {
  if (code.empty()) {
    return base::environment_error(
        "cuda.no_device_code",
        fmt::format("this build of Assay holds no GPU code: build it where nvcc is installed ({}.cu)", name));
  }
  ASSAY_TRY(open_driver());
  return base::with_context(Module::load(code), fmt::format("while loading the GPU code of {}.cu", name));
}

}  // namespace assay::device::cuda
