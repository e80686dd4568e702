#include <assay/os/sandbox/namespaces.hpp>

#include <sched.h>
#include <unistd.h>

#include <cerrno>

#include <assay/os/process_child.hpp>
#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

std::uint64_t clone_flags(const SandboxPlan& plan) {
  std::uint64_t flags = 0;
  for (const MechanismEntry& entry : kMechanisms) {
    if (plan.wanted.has(entry.mechanism) && (entry.mechanism != Mechanism::user_namespace || plan.clones_user)) {
      flags |= entry.clone_flag;
    }
  }
  return flags;
}

int map_cloned_user(const SandboxPlan& plan) {
  return plan.clones_user ? map_user({kInsideUser, plan.user}, {kInsideUser, plan.group}) : 0;
}

int nest_user_namespace(const SandboxPlan& plan) {
  if (plan.clones_user) {
    return 0;
  }
  const unsigned user = ::geteuid();
  const unsigned group = ::getegid();
  if (user == 0) {
    return EPERM;  // A user namespace of root's would hand out what was just given up.
  }
  return ::unshare(CLONE_NEWUSER) == 0 ? map_user({user, user}, {group, group}) : errno;
}

int hide_host_name(const SandboxPlan& /*plan*/) { return ::sethostname("sandbox", 7) == 0 ? 0 : errno; }

}  // namespace assay::os
