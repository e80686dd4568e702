#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::base {

/// The name of a device as people write it and requests carry it: "cpu", "cuda:<ordinal>" or "simulated:<seed>". A name
/// that parses need not be a device that this machine has.
struct DeviceName {
  enum class Kind : std::uint8_t { cpu, cuda, simulated };
  Kind kind = Kind::cpu;
  std::uint64_t number = 0;  ///< The ordinal (at most 255), or the seed.
};

/// How a message lists the possible names.
inline constexpr std::string_view kDeviceNames = "cpu, cuda:<number>, or simulated:<seed> for a rehearsal";

/// Reads a name; nullopt if it is none.
[[nodiscard]] std::optional<DeviceName> parse_device_name(std::string_view name);

}  // namespace assay::base
