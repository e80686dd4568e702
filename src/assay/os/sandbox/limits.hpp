#pragma once

#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

/// No core dumps, also not to a program that the host's core_pattern names; a stack of 8 MiB, at most 64 MiB; no
/// memory in message queues. Never raises a limit.
[[nodiscard]] int set_sane_limits(const SandboxPlan& plan);

/// Bounds processes and threads (RLIMIT_NPROC), which are counted for each user namespace alone.
[[nodiscard]] int limit_processes(const SandboxPlan& plan);

/// Tells whether the kernel counts processes for each user namespace (Linux 5.14): before, our own would be counted in.
[[nodiscard]] bool counts_processes_by_namespace();

}  // namespace assay::os
