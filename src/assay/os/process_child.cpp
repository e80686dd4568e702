#include <assay/os/process_child.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

// Only system calls here, no allocation: see ChildPlan.
#include <assay/os/sandbox/private_root.hpp>

namespace assay::os {
namespace {

[[noreturn]] void fail(const ChildPlan& plan, ChildStage stage, int error, Mechanism mechanism = Mechanism::limits) {
  const ChildFailure failure{stage, error, mechanism};
  [[maybe_unused]] const ssize_t written = ::write(plan.failure_pipe, &failure, sizeof failure);
  ::_exit(127);
}

void die_with_parent(const ChildPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above. Its PID cannot be compared from another namespace.
  pollfd parent{plan.parent_pidfd, POLLIN, 0};
  if (::poll(&parent, 1, 0) != 0) {
    fail(plan, ChildStage::parent_died, ESRCH);
  }
}

void put_up(const ChildPlan& plan, SandboxPart part) {
  if (plan.sandbox != nullptr) {
    const SandboxFailure failure = enter_sandbox(*plan.sandbox, part);
    if (failure.error != 0) {
      fail(plan, ChildStage::sandbox, failure.error, failure.mechanism);
    }
    // A change of user takes the wish to die with the parent back.
    die_with_parent(plan);
  }
}

int write_text(const char* path, const char* text, std::size_t size) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    return errno;
  }
  const int error = ::write(fd, text, size) == static_cast<ssize_t>(size) ? 0 : errno;
  ::close(fd);
  return error;
}

// "65534 1000 1": one number, which must not be 0 inside, or exec would give capabilities.
int write_map(const char* path, MappedNumber number) {
  std::array<char, 32> text{};
  std::size_t size = 0;
  for (unsigned rest : {number.inside, number.outside}) {
    std::array<char, 10> digits{};
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    while (count > 0) {
      text[size++] = digits[--count];
    }
    text[size++] = ' ';
  }
  text[size++] = '1';
  return write_text(path, text.data(), size);
}

void default_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) {
    ::sigaction(number, &action, nullptr);  // Fails for SIGKILL and the like, which are as they should be.
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Sources may be anywhere, also at another's target: first all move above every target, then each to its
// place.
void place_descriptors(ChildPlan& plan) {
  int above = 3;
  for (const auto& [source, target] : plan.descriptors) {
    above = std::max(above, target + 1);
  }
  const auto lift = [&](int fd) {
    const int lifted = ::fcntl(fd, F_DUPFD_CLOEXEC, above);
    if (lifted < 0) {
      fail(plan, ChildStage::descriptors, errno);
    }
    return lifted;
  };
  plan.failure_pipe = lift(plan.failure_pipe);
  for (auto& [source, target] : plan.descriptors) {
    source = lift(source);
  }
  // Everything closes on exec, except what dup2 makes below.
  if (::close_range(0, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    fail(plan, ChildStage::descriptors, errno);
  }
  for (const auto& [source, target] : plan.descriptors) {
    if (::dup2(source, target) < 0) {
      fail(plan, ChildStage::descriptors, errno);
    }
  }
}

void set_limits(const ChildPlan& plan) {
  for (const ChildLimit& limit : plan.limits) {
    rlimit current{};
    if (::getrlimit(limit.resource, &current) != 0) {
      fail(plan, ChildStage::limits, errno);
    }
    // A stricter limit that already holds stays: only root could lift it.
    const rlimit wanted{std::min(limit.soft, current.rlim_max), std::min(limit.hard, current.rlim_max)};
    if (::setrlimit(limit.resource, &wanted) != 0) {
      fail(plan, ChildStage::limits, errno);
    }
  }
}

}  // namespace

int raw_clone(std::uint64_t flags, int* pidfd) {
  // clone, not clone3: common seccomp filters of containers know only the former. Arguments 4 and 5 change
  // places between architectures, and are null.
  return static_cast<int>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, pidfd, nullptr, nullptr));
}

int map_user(MappedNumber user, MappedNumber group) {
  // The files in /proc of a process that is not dumpable belong to root.
  ::prctl(PR_SET_DUMPABLE, 1);
  int error = write_text("/proc/self/setgroups", "deny", 4);
  error = error != 0 ? error : write_map("/proc/self/uid_map", user);
  error = error != 0 ? error : write_map("/proc/self/gid_map", group);
  ::prctl(PR_SET_DUMPABLE, 0);
  return error;
}

void run_program(ChildPlan& plan) {
  die_with_parent(plan);
  if (!plan.has_init) {
    put_up(plan, SandboxPart::init);
  }
  if (::setsid() < 0) {
    fail(plan, ChildStage::session, errno);
  }
  place_descriptors(plan);
  if (plan.cpus != nullptr && ::sched_setaffinity(0, sizeof(cpu_set_t), plan.cpus) != 0) {
    fail(plan, ChildStage::affinity, errno);
  }
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) {
    fail(plan, ChildStage::directory, errno);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    fail(plan, ChildStage::privileges, errno);
  }
  set_limits(plan);
  put_up(plan, SandboxPart::program);
  default_signals();
  ::execve(plan.program, plan.argv.data(), plan.environment.data());
  fail(plan, ChildStage::exec, errno);
}

void run_init(ChildPlan& plan) {
  die_with_parent(plan);
  if (plan.maps_user) {
    if (const int error = map_user({plan.user, plan.user}, {plan.group, plan.group}); error != 0) {
      fail(plan, ChildStage::user_map, error);
    }
  }
  if (plan.mounts_proc) {
    if (const int error = mount_own_proc(); error != 0) {
      fail(plan, ChildStage::proc, error);
    }
  }
  put_up(plan, SandboxPart::init);
  // The init is a copy of the parent's memory, secrets too: the program must not be able to look into it.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_NAME, "assay-init");
  ::setsid();
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);  // Were it ignored, the kernel would throw the status away.

  int init_pidfd = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  const int program = raw_clone(0, nullptr);
  if (program < 0) {
    fail(plan, ChildStage::fork, errno);
  }
  if (program == 0) {
    plan.parent_pidfd = init_pidfd;
    run_program(plan);
  }
  // Hold nothing open: neither pipes whose end others wait for, nor the folder we were started in.
  if (plan.status_pipe != 0) {
    ::dup2(plan.status_pipe, 0);
  }
  ::close_range(1, ~0U, 0);
  [[maybe_unused]] const int moved = ::chdir("/");
  while (true) {
    int status = 0;
    const int ended = ::waitpid(-1, &status, 0);
    if (ended == program) {
      [[maybe_unused]] const ssize_t written = ::write(0, &status, sizeof status);
      ::_exit(0);
    }
    if (ended < 0 && errno != EINTR) {
      ::_exit(1);
    }
  }
}

}  // namespace assay::os
