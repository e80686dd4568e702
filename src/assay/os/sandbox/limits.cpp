#include <assay/os/sandbox/limits.hpp>

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace assay::os {
namespace {

int lower(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit current{};
  if (::getrlimit(resource, &current) != 0) {
    return errno;
  }
  const rlimit wanted{std::min({soft, hard, current.rlim_max}), std::min(hard, current.rlim_max)};
  return ::setrlimit(resource, &wanted) == 0 ? 0 : errno;
}

}  // namespace

int set_sane_limits(const SandboxPlan& /*plan*/) {
  constexpr rlim_t kStack = rlim_t{8} << 20U;
  constexpr rlim_t kLargestStack = rlim_t{64} << 20U;
  // 0 would not keep a core from a pipe that core_pattern names; 1 does, and is too small for a file.
  int error = lower(RLIMIT_CORE, 1, 1);
  error = error != 0 ? error : lower(RLIMIT_STACK, kStack, kLargestStack);
  return error != 0 ? error : lower(RLIMIT_MSGQUEUE, 0, 0);
}

int limit_processes(const SandboxPlan& plan) {
  return plan.processes == 0 ? 0 : lower(RLIMIT_NPROC, plan.processes, plan.processes);
}

bool counts_processes_by_namespace() {
  utsname name{};
  int major = 0;
  int minor = 0;
  if (::uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &major, &minor) != 2) {
    return false;
  }
  return major > 5 || (major == 5 && minor >= 14);
}

}  // namespace assay::os
