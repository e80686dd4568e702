#include <assay/os/sandbox/seccomp.hpp>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace assay::os {
namespace {

// Newer than Debian 12's headers know, or possibly missing in them. Numbers since 424 are the same everywhere.
constexpr long kMountSetattr = 442;
constexpr long kQuotactlFd = 443;
constexpr long kProcessMadvise = 440;
constexpr long kPidfdGetfd = 438;
constexpr long kFsopen = 430;
constexpr long kOpenTree = 428;
constexpr long kMoveMount = 429;
constexpr long kFsconfig = 431;
constexpr long kFsmount = 432;
constexpr long kFspick = 433;
constexpr long kIoUringSetup = 425;
constexpr long kIoUringEnter = 426;
constexpr long kIoUringRegister = 427;
constexpr long kClone3 = 435;

// Of ioctl; their header clashes with glibc's.
constexpr std::uint32_t kTypeIntoTerminal = 0x5412;  // TIOCSTI
constexpr std::uint32_t kLinuxConsole = 0x541c;      // TIOCLINUX

constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr long kForbiddenToAll[] = {
    // Looking into, or changing, other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    kProcessMadvise,
    kPidfdGetfd,
    // Mounts and namespaces.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    kFsopen,
    kFsconfig,
    kFsmount,
    kFspick,
    kOpenTree,
    kMoveMount,
    kMountSetattr,
    SYS_unshare,
    SYS_setns,
    // Large attack surfaces of the kernel.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    kIoUringSetup,
    kIoUringEnter,
    kIoUringRegister,
    // The kernel itself, and the machine's state.
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_syslog,
    SYS_quotactl,
    kQuotactlFd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_nfsservctl,
    SYS_lookup_dcookie,
    SYS_fanotify_init,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_uselib
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS__sysctl,
    SYS_modify_ldt,
    SYS_iopl,
    SYS_ioperm,
    SYS_create_module,
    SYS_get_kernel_syms,
    SYS_query_module,
#endif
    // Files by handle, past every look-up.
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
};

// Leaving the process group that is killed where there is no PID namespace.
constexpr long kLeavingTheGroup[] = {SYS_setsid, SYS_setpgid};

// What a GPU's driver does in the process of its user: it makes one Unix socket and listens on it. Nothing can connect,
// neither from inside nor, with a network namespace of our own, from outside.
constexpr long kForbiddenWithoutGpu[] = {SYS_socket, SYS_bind, SYS_listen};

constexpr long kForbiddenToCandidates[] = {
    SYS_socketpair,
    SYS_connect,
    SYS_accept,
    SYS_accept4,
    // Memory and messages that outlive a process where there is no IPC namespace.
    SYS_shmget,
    SYS_shmat,
    SYS_semget,
    SYS_msgget,
    SYS_mq_open,
};

}  // namespace

std::vector<sock_filter> make_filter(SandboxPurpose purpose) {
  FilterBuilder builder;
  builder.refuse(kClone3, ENOSYS);
  builder.refuse_if_bits(SYS_clone, 0, kNewNamespaces, EPERM);
  for (const long number : kForbiddenToAll) {
    builder.refuse(number, EPERM);
  }
  // 0xffffffff only asks; other values would, for one, turn off address randomisation.
  builder.refuse_unless(SYS_personality, 0, 0xffffffff, EPERM);
  // Limits of others.
  builder.refuse_unless(SYS_prlimit64, 0, 0, EPERM);
  // Typing into a terminal.
  builder.refuse_if_equal(SYS_ioctl, 1, kTypeIntoTerminal, EPERM);
  builder.refuse_if_equal(SYS_ioctl, 1, kLinuxConsole, EPERM);
  if (purpose == SandboxPurpose::networked_agent) {
    return builder.build();
  }
  for (const long number : kLeavingTheGroup) {
    builder.refuse(number, EPERM);
  }
  if (purpose == SandboxPurpose::compiler) {
    builder.refuse(SYS_socket, EPERM);
    return builder.build();
  }
  if (purpose == SandboxPurpose::watched_gpu_candidate) {
    builder.refuse_unless(SYS_socket, 0, AF_UNIX, EPERM);
    return builder.build();
  }
  for (const long number : kForbiddenToCandidates) {
    builder.refuse(number, EPERM);
  }
  if (purpose == SandboxPurpose::gpu_candidate) {
    builder.refuse_unless(SYS_socket, 0, AF_UNIX, EPERM);
    return builder.build();
  }
  for (const long number : kForbiddenWithoutGpu) {
    builder.refuse(number, EPERM);
  }
  return builder.build();
}

int install_filter(const SandboxPlan& plan) {
  // The kernel does not change it.
  const sock_fprog program{static_cast<unsigned short>(plan.filter.size()),
                           const_cast<sock_filter*>(plan.filter.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0) {
    return 0;
  }
  if (errno != EINVAL) {
    return errno;
  }
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;  // Before Linux 4.17.
}

}  // namespace assay::os
