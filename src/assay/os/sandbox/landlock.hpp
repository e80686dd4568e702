#pragma once

#include <assay/os/sandbox/options.hpp>
#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

/// Returns the version of Landlock that the kernel speaks; 0: none.
[[nodiscard]] int landlock_abi();

/// Where the rules' paths are looked up.
enum class LandlockView : std::uint8_t { private_root, host };

/// Returns rules for these options: what is bound may be read (and executed, where said), the writable folders used,
/// /dev/null written to. Everything else is forbidden, TCP and signals to others too where the kernel can.
[[nodiscard]] LandlockPlan plan_landlock(const SandboxOptions& options, LandlockView view);

/// Makes the rules and applies them for ever. Async-signal-safe.
[[nodiscard]] int restrict_with_landlock(const SandboxPlan& plan);

}  // namespace assay::os
