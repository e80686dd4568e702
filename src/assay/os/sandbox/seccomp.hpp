#pragma once

#include <vector>

#include <assay/os/sandbox/bpf.hpp>
#include <assay/os/sandbox/options.hpp>
#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

/// Returns the filter for a purpose. It denies, with EPERM, what no kernel of a model needs: tracing, mounting, loading
/// code into the kernel, new namespaces, and what of the host could be changed; with ENOSYS clone3, whose flags a filter
/// cannot see, so that glibc takes clone. Threads, memory, files, signals and time are left alone.
[[nodiscard]] std::vector<sock_filter> make_filter(SandboxPurpose purpose);

/// Installs the plan's filter for ever, without the slow-down of speculation that seccomp brings on older kernels:
/// timings must be those of the candidate. Async-signal-safe.
[[nodiscard]] int install_filter(const SandboxPlan& plan);

}  // namespace assay::os
