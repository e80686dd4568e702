#pragma once

#include <optional>

#include <assay/os/sandbox/cgroup.hpp>
#include <assay/os/sandbox/options.hpp>
#include <assay/os/sandbox/plan.hpp>
#include <assay/os/sandbox/report.hpp>

namespace assay::os {

/// What the sandbox is made of here.
struct SandboxSupport {
  SandboxReport report;
  bool clones_user = false;  ///< See SandboxPlan.
  std::optional<CgroupPlace> cgroups;
};

/// Tries the whole sandbox on a child that does nothing, leaving out what fails until the rest succeeds. What was found
/// is remembered for each effective user: a program may give up root. Later a mechanism that was found and then fails
/// is an error, never a silent fallback.
[[nodiscard]] const SandboxSupport& sandbox_support();

/// The same without the memory, and without those mechanisms in `excluded`: for tests.
[[nodiscard]] SandboxSupport detect_sandbox(MechanismSet excluded);

/// Removes from the set what lacks something that it needs. Where clone does not make the user namespace, the program
/// does, which must no longer be root and must see its own /proc.
[[nodiscard]] MechanismSet consistent(MechanismSet set, bool clones_user);

/// Makes a plan with all that is supported and not left out. `cgroup`: made for this plan, if any; it must outlive the child's start.
[[nodiscard]] base::Result<SandboxPlan> plan_sandbox(const SandboxOptions& options, const SandboxSupport& support,
                                                     const std::optional<Cgroup>& cgroup);

}  // namespace assay::os
