#pragma once

#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

/// Root becomes nobody, outside too; a user stays who they are, and is nobody inside by the map of the user namespace.
[[nodiscard]] int become_nobody(const SandboxPlan& plan);

/// Empties every set of capabilities, the bounding set as well if we may, and fails if one is left.
[[nodiscard]] int drop_capabilities(const SandboxPlan& plan);

[[nodiscard]] int forbid_new_privileges(const SandboxPlan& plan);

}  // namespace assay::os
