#include <assay/os/sandbox/seccomp.hpp>

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

namespace assay::os {
namespace {

bool allows(SandboxPurpose purpose, long number, const std::vector<std::uint64_t>& words = {}) {
  return run_filter(make_filter(purpose), this_architecture(), static_cast<std::int32_t>(number), words) ==
         SECCOMP_RET_ALLOW;
}

TEST(MakeFilter, HonestCallsAreAllowed) {
  for (const SandboxPurpose purpose :
       {SandboxPurpose::candidate, SandboxPurpose::compiler, SandboxPurpose::gpu_candidate}) {
    for (const long number : {SYS_read,
                              SYS_write,
                              SYS_openat,
                              SYS_mmap,
                              SYS_munmap,
                              SYS_mprotect,
                              SYS_madvise,
                              SYS_futex,
                              SYS_brk,
                              SYS_clock_gettime,
                              SYS_nanosleep,
                              SYS_sched_yield,
                              SYS_sched_setaffinity,
                              SYS_getrandom,
                              SYS_exit_group,
                              SYS_rt_sigaction,
                              SYS_sendmsg,
                              SYS_recvmsg,
                              SYS_execve,
                              SYS_wait4,
                              SYS_memfd_create,
                              SYS_tgkill,
                              SYS_set_robust_list,
                              SYS_rseq,
                              SYS_statx}) {
      EXPECT_TRUE(allows(purpose, number)) << number;
    }
  }
}

TEST(MakeFilter, ThreadsAreAllowedAndNamespacesAreNot) {
  constexpr std::uint64_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                    CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  EXPECT_TRUE(allows(SandboxPurpose::candidate, SYS_clone, {kThread}));
  for (const int flag :
       {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_FALSE(allows(SandboxPurpose::candidate, SYS_clone, {static_cast<std::uint64_t>(flag) | kThread}));
  }
  EXPECT_EQ(run_filter(make_filter(SandboxPurpose::candidate), this_architecture(), 435, {}),
            SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(ENOSYS));
}

TEST(MakeFilter, CandidatesMayDoLessThanCompilers) {
  for (const long number : {SYS_socketpair, SYS_shmget, SYS_mq_open, SYS_connect}) {
    EXPECT_FALSE(allows(SandboxPurpose::candidate, number)) << number;
    EXPECT_TRUE(allows(SandboxPurpose::compiler, number)) << number;
  }
  EXPECT_FALSE(allows(SandboxPurpose::compiler, SYS_socket));
}

TEST(MakeFilter, AGpusDriverMayListenOnAUnixSocketAndNobodyMayConnect) {
  EXPECT_TRUE(allows(SandboxPurpose::gpu_candidate, SYS_socket, {AF_UNIX}));
  EXPECT_FALSE(allows(SandboxPurpose::gpu_candidate, SYS_socket, {AF_INET}));
  EXPECT_FALSE(allows(SandboxPurpose::gpu_candidate, SYS_socket, {AF_NETLINK}));
  EXPECT_FALSE(allows(SandboxPurpose::candidate, SYS_socket, {AF_UNIX}));
  for (const long number : {SYS_bind, SYS_listen}) {
    EXPECT_TRUE(allows(SandboxPurpose::gpu_candidate, number)) << number;
    EXPECT_FALSE(allows(SandboxPurpose::candidate, number)) << number;
  }
  for (const long number : {SYS_connect, SYS_accept, SYS_accept4, SYS_socketpair, SYS_shmget, SYS_ptrace, SYS_bpf}) {
    EXPECT_FALSE(allows(SandboxPurpose::gpu_candidate, number)) << number;
  }
}

TEST(MakeFilter, WhoWatchesAGpusCandidateMayTalkToItAndToNobodyElse) {
  for (const long number : {SYS_bind, SYS_listen, SYS_connect, SYS_accept, SYS_accept4, SYS_socketpair, SYS_shmget}) {
    EXPECT_TRUE(allows(SandboxPurpose::watched_gpu_candidate, number)) << number;
  }
  EXPECT_TRUE(allows(SandboxPurpose::watched_gpu_candidate, SYS_socket, {AF_UNIX}));
  EXPECT_FALSE(allows(SandboxPurpose::watched_gpu_candidate, SYS_socket, {AF_INET}));
}

TEST(MakeFilter, OnlyAnAgentMayReachTheNetworkAndLeaveItsGroup) {
  for (const long number : {SYS_setsid, SYS_setpgid}) {
    EXPECT_TRUE(allows(SandboxPurpose::networked_agent, number)) << number;
    for (const SandboxPurpose purpose : {SandboxPurpose::candidate, SandboxPurpose::compiler,
                                         SandboxPurpose::gpu_candidate, SandboxPurpose::watched_gpu_candidate}) {
      EXPECT_FALSE(allows(purpose, number)) << number;
      EXPECT_FALSE(allows(purpose, SYS_socket, {AF_INET}));
    }
  }
  EXPECT_TRUE(allows(SandboxPurpose::networked_agent, SYS_socket, {AF_INET}));
  EXPECT_TRUE(allows(SandboxPurpose::networked_agent, SYS_connect));
}

TEST(MakeFilter, DangerousCallsAreRefusedToAll) {
  for (const SandboxPurpose purpose : {SandboxPurpose::candidate, SandboxPurpose::compiler,
                                       SandboxPurpose::watched_gpu_candidate, SandboxPurpose::networked_agent}) {
    for (const long number : {SYS_ptrace,
                              SYS_process_vm_readv,
                              SYS_process_vm_writev,
                              SYS_kcmp,
                              SYS_mount,
                              SYS_umount2,
                              SYS_pivot_root,
                              SYS_chroot,
                              SYS_bpf,
                              SYS_perf_event_open,
                              SYS_userfaultfd,
                              SYS_keyctl,
                              SYS_unshare,
                              SYS_setns,
                              SYS_kexec_load,
                              SYS_init_module,
                              SYS_finit_module,
                              SYS_name_to_handle_at,
                              SYS_open_by_handle_at,
                              425,
                              428,
                              438,
                              442}) {
      EXPECT_FALSE(allows(purpose, number)) << number;
    }
  }
}

TEST(MakeFilter, LooksAtWhatIsAskedOfPersonalityAndLimits) {
  EXPECT_TRUE(allows(SandboxPurpose::candidate, SYS_personality, {0xffffffffU}));
  EXPECT_FALSE(allows(SandboxPurpose::candidate, SYS_personality, {0x0040000}));
  EXPECT_TRUE(allows(SandboxPurpose::candidate, SYS_prlimit64, {0}));
  EXPECT_FALSE(allows(SandboxPurpose::candidate, SYS_prlimit64, {1234}));
  EXPECT_TRUE(allows(SandboxPurpose::candidate, SYS_ioctl, {0, 0x5401}));
  EXPECT_FALSE(allows(SandboxPurpose::candidate, SYS_ioctl, {0, 0x5412}));
}

}  // namespace
}  // namespace assay::os
