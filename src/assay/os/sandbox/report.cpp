#include <assay/os/sandbox/report.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/text.hpp>

namespace assay::os {

MechanismSet needs_of(base::SandboxLevel level) {
  switch (level) {
    case base::SandboxLevel::none:
      return {};
    case base::SandboxLevel::process:
      return {Mechanism::limits, Mechanism::no_new_privileges};
    case base::SandboxLevel::namespaces:
      return {Mechanism::pid_namespace, Mechanism::mount_namespace, Mechanism::network_namespace,
              Mechanism::ipc_namespace, Mechanism::private_root};
    case base::SandboxLevel::confined:
      return {Mechanism::unprivileged_user, Mechanism::capabilities, Mechanism::seccomp};
    case base::SandboxLevel::full:
      return {Mechanism::landlock, Mechanism::cgroup};
  }
  return {};
}

base::SandboxLevel SandboxReport::level() const {
  auto reached = base::SandboxLevel::none;
  for (std::size_t i = 1; i < base::kSandboxLevels.size(); ++i) {
    const auto next = static_cast<base::SandboxLevel>(i);
    if (!applied.includes(needs_of(next))) {
      break;
    }
    reached = next;
  }
  return reached;
}

std::vector<std::pair<std::string, std::string>> SandboxReport::lines() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const MechanismEntry& entry : kMechanisms) {
    const bool has = applied.has(entry.mechanism);
    const std::string& reason = reasons.at(static_cast<std::size_t>(entry.mechanism));
    result.emplace_back(entry.name, has ? std::string("applied") : "absent: " + reason);
  }
  return result;
}

base::Result<void> require_sandbox(const SandboxReport& report, base::SandboxLevel minimum) {
  if (report.level() >= minimum) {
    return {};
  }
  std::vector<std::string> missing;
  std::vector<std::string> remedies;
  for (const MechanismEntry& entry : kMechanisms) {
    bool needed = false;
    for (std::size_t i = 1; i <= static_cast<std::size_t>(minimum); ++i) {
      needed = needed || needs_of(static_cast<base::SandboxLevel>(i)).has(entry.mechanism);
    }
    if (!needed || report.applied.has(entry.mechanism)) {
      continue;
    }
    missing.push_back(fmt::format("{} ({})", entry.name, report.reasons.at(static_cast<std::size_t>(entry.mechanism))));
    const std::string remedy(entry.remedy);
    if (std::find(remedies.begin(), remedies.end(), remedy) == remedies.end()) {
      remedies.push_back(remedy);
    }
  }
  return base::environment_error(
      "sandbox.level", fmt::format("the policy demands the sandbox level '{}' and this machine gives '{}': missing {}. "
                                   "Remedy: {}; or lower minimum_sandbox in the policy",
                                   base::to_string(minimum), base::to_string(report.level()), base::join(missing, ", "),
                                   base::join(remedies, "; ")));
}

}  // namespace assay::os
