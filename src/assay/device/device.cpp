#include <assay/device/device.hpp>

#include <fmt/core.h>

#include <assay/base/device_name.hpp>
#include <assay/device/cpu.hpp>
#include <assay/device/cuda/device.hpp>
#include <assay/device/simulated.hpp>

namespace assay::device {

base::Result<std::unique_ptr<Device>> open_device(std::string_view name) {
  const auto parsed = base::parse_device_name(name);
  if (!parsed) {
    return base::input_error("device.unknown",
                             fmt::format("there is no device '{}': use {}", name, base::kDeviceNames));
  }
  switch (parsed->kind) {
    case base::DeviceName::Kind::cpu:
      return make_cpu();
    case base::DeviceName::Kind::cuda:
      return cuda::make_device(static_cast<int>(parsed->number));
    case base::DeviceName::Kind::simulated:
      return make_simulated(parsed->number);
  }
  return base::internal_error("device.kind", "a kind of device that nothing opens");
}

}  // namespace assay::device
