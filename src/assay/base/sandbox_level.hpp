#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::base {

/// How well candidates and compilers are shut in, weakest first: a closed set. os/sandbox/report.hpp says what each
/// needs. The numbers and spellings are persisted with every result and in policies, and never change.
enum class SandboxLevel : std::uint8_t {
  none = 0,        ///< Not even no_new_privs and limits.
  process = 1,     ///< A process of its own with limits and without new privileges.
  namespaces = 2,  ///< And its own processes, network, IPC and a private root: it sees nothing of the host's.
  confined = 3,    ///< And a filter of system calls, no capability, and not root.
  full = 4,        ///< And Landlock, and a cgroup that bounds memory and processes.
};

/// Every level, in order; the spelling of each is at its number.
inline constexpr std::array<std::string_view, 5> kSandboxLevels = {"none", "process", "namespaces", "confined", "full"};

[[nodiscard]] constexpr std::string_view to_string(SandboxLevel level) {
  return kSandboxLevels.at(static_cast<std::size_t>(level));
}

[[nodiscard]] constexpr std::optional<SandboxLevel> parse_sandbox_level(std::string_view text) {
  for (std::size_t i = 0; i < kSandboxLevels.size(); ++i) {
    if (kSandboxLevels.at(i) == text) {
      return static_cast<SandboxLevel>(i);
    }
  }
  return std::nullopt;
}

}  // namespace assay::base
