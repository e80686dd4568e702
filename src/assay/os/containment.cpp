#include <assay/os/containment.hpp>

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <optional>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/process.hpp>
#include <assay/os/process_child.hpp>
#include <assay/os/sandbox/private_root.hpp>

namespace assay::os {
namespace {

// Makes an init with these flags that maps the user, mounts its own /proc, forks once and leaves.
bool namespaces_work(std::uint64_t flags) {
  keep_exit_statuses();
  const BlockedSignals blocked;
  const unsigned user = ::geteuid();
  const unsigned group = ::getegid();
  int pidfd = -1;
  const int pid = clone_child(flags, &pidfd);
  if (pid == 0) {
    const bool mapped = (flags & CLONE_NEWUSER) == 0 || map_user({user, user}, {group, group}) == 0;
    const bool mounted = mapped && ((flags & CLONE_NEWNS) == 0 || mount_own_proc() == 0);
    const int child = mounted ? raw_clone(0, nullptr) : -1;
    ::_exit(child >= 0 ? 0 : 1);
  }
  if (pid < 0) {
    return false;
  }
  const Fd owned(pidfd);
  const siginfo_t info = wait_for_end(pid);
  return info.si_code == CLD_EXITED && info.si_status == 0;
}

}  // namespace

BlockedSignals::BlockedSignals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old_);
}

BlockedSignals::~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

int clone_child(std::uint64_t flags, int* pidfd) { return raw_clone(flags | CLONE_PIDFD, pidfd); }

siginfo_t wait_for_end(int pid) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0) {
    ASSAY_CHECK(errno == EINTR);  // Anything else means that someone else reaped it.
  }
  return info;
}

void keep_exit_statuses() {
  struct sigaction action{};
  ::sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0) {
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &action, nullptr);
  }
}

std::uint64_t namespace_flags() {
  static std::mutex mutex;
  static uid_t known_user = 0;
  static std::optional<std::uint64_t> known;
  const std::lock_guard lock(mutex);
  const uid_t user = ::geteuid();
  if (!known || known_user != user) {
    known = 0;
    known_user = user;
    // With a /proc of its own if that can be had: numbers of processes mean the same everywhere then.
    constexpr std::uint64_t kPids = CLONE_NEWPID;
    for (const std::uint64_t flags :
         {kPids | CLONE_NEWNS, kPids | CLONE_NEWNS | CLONE_NEWUSER, kPids, kPids | CLONE_NEWUSER}) {
      if (namespaces_work(flags)) {
        known = flags;
        break;
      }
    }
  }
  return *known;
}

std::string_view to_string(Containment containment) {
  return containment == Containment::pid_namespace ? "pid_namespace" : "process_group";
}

Containment best_containment() {
  return namespace_flags() != 0 ? Containment::pid_namespace : Containment::process_group;
}

}  // namespace assay::os
