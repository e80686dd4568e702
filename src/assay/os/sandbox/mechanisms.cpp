#include <assay/os/sandbox/mechanisms.hpp>

#include <sched.h>

#include <assay/os/sandbox/cgroup.hpp>
#include <assay/os/sandbox/landlock.hpp>
#include <assay/os/sandbox/limits.hpp>
#include <assay/os/sandbox/namespaces.hpp>
#include <assay/os/sandbox/plan.hpp>
#include <assay/os/sandbox/private_root.hpp>
#include <assay/os/sandbox/privileges.hpp>
#include <assay/os/sandbox/seccomp.hpp>

namespace assay::os {
namespace {

constexpr std::string_view kAllowNamespaces = "run as root, or allow unprivileged user namespaces";

}  // namespace

// The order matters: what needs privileges comes before what gives them up, and the filter of system calls comes last,
// because it forbids what the steps before it do.
const std::array<MechanismEntry, kMechanismCount> kMechanisms = {{
    {Mechanism::cgroup,
     "cgroup",
     "taking all memory, or starting processes without end",
     "run as root, or in a cgroup that is delegated to you with memory and pids (systemd-run --user --scope -p "
     "Delegate=yes)",
     {},
     0,
     join_cgroup,
     nullptr},
    {Mechanism::user_namespace,
     "user_namespace",
     "being the user who started Assay",
     kAllowNamespaces,
     {},
     CLONE_NEWUSER,
     map_cloned_user,
     nest_user_namespace},
    {Mechanism::pid_namespace,
     "pid_namespace",
     "seeing, signalling or outliving other processes",
     kAllowNamespaces,
     {},
     CLONE_NEWPID,
     nullptr,
     nullptr},
    {Mechanism::mount_namespace,
     "mount_namespace",
     "the host's mounts",
     kAllowNamespaces,
     {},
     CLONE_NEWNS,
     nullptr,
     nullptr},
    {Mechanism::network_namespace,
     "network_namespace",
     "the network",
     kAllowNamespaces,
     {},
     CLONE_NEWNET,
     nullptr,
     nullptr},
    {Mechanism::ipc_namespace,
     "ipc_namespace",
     "others' shared memory and queues",
     kAllowNamespaces,
     {},
     CLONE_NEWIPC,
     nullptr,
     nullptr},
    {Mechanism::uts_namespace,
     "uts_namespace",
     "the host's name",
     kAllowNamespaces,
     {},
     CLONE_NEWUTS,
     hide_host_name,
     nullptr},
    {Mechanism::cgroup_namespace,
     "cgroup_namespace",
     "the place in the host's cgroups",
     kAllowNamespaces,
     {},
     CLONE_NEWCGROUP,
     nullptr,
     nullptr},
    {Mechanism::private_proc,
     "private_proc",
     "reading what /proc says of the host",
     "allow mounting proc: a container runtime that masks parts of /proc forbids it",
     {Mechanism::pid_namespace, Mechanism::mount_namespace},
     0,
     mount_private_proc,
     nullptr},
    {Mechanism::private_root,
     "private_root",
     "the host's files",
     "Linux 5.12 or newer is needed, and mounts allowed",
     {Mechanism::mount_namespace},
     0,
     enter_private_root,
     nullptr},
    {Mechanism::unprivileged_user,
     "unprivileged_user",
     "acting as root or as a user of this machine",
     "run as an ordinary user, or where a private root can be had",
     {},
     0,
     become_nobody,
     nullptr},
    {Mechanism::limits,
     "limits",
     "core dumps, an unlimited stack",
     "raise no limits above their defaults",
     {},
     0,
     nullptr,
     set_sane_limits},
    {Mechanism::process_limit,
     "process_limit",
     "starting processes without end",
     "Linux 5.14 or newer is needed, and a user namespace",
     {Mechanism::user_namespace},
     0,
     nullptr,
     limit_processes},
    {Mechanism::capabilities,
     "capabilities",
     "any of root's capabilities",
     "run as an ordinary user",
     {},
     0,
     drop_capabilities,
     drop_capabilities},
    {Mechanism::no_new_privileges,
     "no_new_privileges",
     "gaining privileges by executing a program",
     "Linux 3.5 or newer is needed",
     {},
     0,
     nullptr,
     forbid_new_privileges},
    {Mechanism::landlock,
     "landlock",
     "files, TCP and signals, by a second mechanism",
     "Linux 5.13 or newer with Landlock is needed (lsm=landlock,...)",
     {Mechanism::no_new_privileges},
     0,
     nullptr,
     restrict_with_landlock},
    {Mechanism::seccomp,
     "seccomp",
     "system calls that no kernel of a model needs",
     "Linux 3.17 or newer with seccomp filters is needed",
     {Mechanism::no_new_privileges},
     0,
     nullptr,
     install_filter},
}};

const MechanismEntry& entry_of(Mechanism mechanism) { return kMechanisms.at(static_cast<std::size_t>(mechanism)); }

MechanismSet without_orphans(MechanismSet set) {
  for (const MechanismEntry& entry : kMechanisms) {  // What is needed stands before what needs it.
    if (!set.includes(entry.needs)) {
      set.remove(entry.mechanism);
    }
  }
  return set;
}

SandboxFailure enter_sandbox(const SandboxPlan& plan, SandboxPart part) {
  for (const MechanismEntry& entry : kMechanisms) {
    const Apply apply = part == SandboxPart::init ? entry.in_init : entry.in_program;
    if (apply == nullptr || !plan.wanted.has(entry.mechanism)) {
      continue;
    }
    if (const int error = apply(plan); error != 0) {
      return {entry.mechanism, error};
    }
  }
  return {};
}

}  // namespace assay::os
