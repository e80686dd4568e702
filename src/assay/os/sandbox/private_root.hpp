#pragma once

#include <string>
#include <vector>

#include <assay/os/sandbox/options.hpp>
#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

enum class ShowProc : std::uint8_t { no, yes };

/// Returns the steps that make a root of these binds and folders, /dev/null, /dev/zero, /dev/urandom and /proc: the one
/// that mount_private_proc has mounted, or an empty folder. A bind whose host path does not exist is an error; links on its way are resolved now, because inside they
/// would lead elsewhere.
[[nodiscard]] base::Result<std::vector<RootStep>> plan_root(const SandboxOptions& options, ShowProc proc);

/// Returns an existing folder that can be covered, or "".
[[nodiscard]] std::string find_staging_folder();

/// Follows the steps and leaves the process in the new root, its folder "/".
[[nodiscard]] int enter_private_root(const SandboxPlan& plan);

/// Covers /proc with one that shows this PID namespace only, and of it only what we may trace. Comes before the private
/// root: the kernel lets a user namespace mount proc only where another is in sight.
[[nodiscard]] int mount_private_proc(const SandboxPlan& plan);

/// Covers /proc with all of one of this PID namespace, for a program that is trusted.
[[nodiscard]] int mount_own_proc();

}  // namespace assay::os
