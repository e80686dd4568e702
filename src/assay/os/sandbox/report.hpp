#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/sandbox_level.hpp>
#include <assay/os/sandbox/mechanisms.hpp>

namespace assay::os {

/// What each mechanism is here: applied, or absent and why.
struct SandboxReport {
  MechanismSet applied;
  std::array<std::string, kMechanismCount> reasons;  ///< Empty for what is applied.

  /// The highest level all of whose mechanisms, and those of the levels below it, are applied.
  [[nodiscard]] base::SandboxLevel level() const;
  /// (name, "applied" or "absent: reason") for each mechanism, in order. Recorded with every result.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> lines() const;
};

/// What a level needs beside what the levels below it need.
[[nodiscard]] MechanismSet needs_of(base::SandboxLevel level);

/// An environment error if the report does not reach `minimum`: it names what is missing, why, and the remedy.
[[nodiscard]] base::Result<void> require_sandbox(const SandboxReport& report, base::SandboxLevel minimum);

}  // namespace assay::os
