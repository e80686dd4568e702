#pragma once

#include <assay/os/sandbox/mechanisms.hpp>

namespace assay::os {

/// Returns the flags of clone for the namespaces that are wanted. The user namespace is among them only where clone
/// makes it (SandboxPlan::clones_user).
[[nodiscard]] std::uint64_t clone_flags(const SandboxPlan& plan);

/// In a user namespace that clone made: maps our user to nobody. Our real user stays what it was outside, which is
/// what the files that are bound are read as.
[[nodiscard]] int map_cloned_user(const SandboxPlan& plan);

/// Where root made the other namespaces: makes a user namespace below them, so that no capability that may be found in
/// it reaches what was set up. Does nothing where clone made it.
[[nodiscard]] int nest_user_namespace(const SandboxPlan& plan);

[[nodiscard]] int hide_host_name(const SandboxPlan& plan);

}  // namespace assay::os
