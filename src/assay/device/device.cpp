#include <assay/device/device.hpp>

#include <fmt/core.h>

#include <charconv>

#include <assay/device/cpu.hpp>
#include <assay/device/simulated.hpp>

namespace assay::device {

base::Result<std::unique_ptr<Device>> open_device(std::string_view name) {
  constexpr std::string_view kSimulated = "simulated:";
  if (name == "cpu") {
    return make_cpu();
  }
  if (name.starts_with(kSimulated)) {
    const std::string_view digits = name.substr(kSimulated.size());
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      return make_simulated(seed);
    }
  }
  return base::input_error("device.unknown",
                           fmt::format("there is no device '{}': use 'cpu' or 'simulated:<seed>'", name));
}

}  // namespace assay::device
