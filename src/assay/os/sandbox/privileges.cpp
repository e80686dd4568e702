#include <assay/os/sandbox/privileges.hpp>

#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace assay::os {
namespace {

// No process can have a capability again that is not in its bounding set. Only who has CAP_SETPCAP may take from it.
void empty_bounding_set() {
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; ++capability) {
  }
}

}  // namespace

int become_nobody(const SandboxPlan& plan) {
  if (::geteuid() != 0 || plan.clones_user) {
    return 0;
  }
  empty_bounding_set();
  // System calls, not glibc's functions, which would signal all threads of a process that has but one.
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
      ::syscall(SYS_setresgid, kInsideUser, kInsideUser, kInsideUser) != 0 ||
      ::syscall(SYS_setresuid, kInsideUser, kInsideUser, kInsideUser) != 0) {
    return errno;
  }
  return 0;
}

int drop_capabilities(const SandboxPlan& /*plan*/) {
  empty_bounding_set();
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  ::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) {
    return errno;
  }
  std::array<__user_cap_data_struct, 2> left{};
  if (::syscall(SYS_capget, &header, left.data()) != 0) {
    return errno;
  }
  for (const __user_cap_data_struct& part : left) {
    if (part.effective != 0 || part.permitted != 0 || part.inheritable != 0) {
      return EPERM;
    }
  }
  return 0;
}

int forbid_new_privileges(const SandboxPlan& /*plan*/) {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

}  // namespace assay::os
