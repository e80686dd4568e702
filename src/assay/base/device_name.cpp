#include <assay/base/device_name.hpp>

#include <charconv>

namespace assay::base {

namespace {

constexpr std::uint64_t kMostDevices = 256;

// Decimal digits and nothing else.
std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<DeviceName> parse_device_name(std::string_view name) {
  constexpr std::string_view kCuda = "cuda:";
  constexpr std::string_view kSimulated = "simulated:";
  if (name == "cpu") {
    return DeviceName{};
  }
  if (name.starts_with(kCuda)) {
    const auto ordinal = number(name.substr(kCuda.size()));
    return ordinal && *ordinal < kMostDevices ? std::optional(DeviceName{DeviceName::Kind::cuda, *ordinal})
                                              : std::nullopt;
  }
  if (name.starts_with(kSimulated)) {
    const auto seed = number(name.substr(kSimulated.size()));
    return seed ? std::optional(DeviceName{DeviceName::Kind::simulated, *seed}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace assay::base
