#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

/// What the child was doing when it failed. Sent as a number to the parent, which is the same build: not
/// persisted.
enum class ChildStage : std::int32_t {
  user_map,
  proc,
  fork,
  parent_died,
  session,
  descriptors,
  limits,
  privileges,
  affinity,
  directory,
  sandbox,
  exec,
};

/// The child's last words before exec.
struct ChildFailure {
  ChildStage stage = ChildStage::exec;
  std::int32_t error = 0;
  Mechanism mechanism = Mechanism::limits;  ///< Of ChildStage::sandbox.
};

/// One limit to set before exec.
struct ChildLimit {
  __rlimit_resource resource = RLIMIT_CORE;
  rlim_t soft = 0;
  rlim_t hard = 0;
};

/// Everything that the child needs between clone and exec, made before clone: a child of a process with
/// threads may only make system calls there (a lock of the allocator could be held by a thread that it does
/// not have).
struct ChildPlan {
  const char* program = nullptr;
  std::vector<char*> argv;                       ///< Ends with nullptr.
  std::vector<char*> environment;                ///< Ends with nullptr.
  const char* directory = nullptr;               ///< nullptr: stay.
  std::vector<std::pair<int, int>> descriptors;  ///< (ours, number in the child); the child overwrites the first.
  std::vector<ChildLimit> limits;
  const cpu_set_t* cpus = nullptr;  ///< nullptr: leave.
  int failure_pipe = -1;            ///< Gets a ChildFailure; closed by a successful exec.
  int status_pipe = -1;             ///< Gets the raw wait status from the init.
  int parent_pidfd = -1;            ///< Readable once the parent is dead.
  bool has_init = false;            ///< The program runs below an init, which has put up the first part of the sandbox.
  bool mounts_proc = false;         ///< In new PID and mount namespaces: mount their /proc.
  bool maps_user = false;           ///< In a new user namespace: map our user and group onto themselves.
  unsigned user = 0;
  unsigned group = 0;
  const SandboxPlan* sandbox = nullptr;  ///< nullptr: none.
};

/// Becomes the program. Async-signal-safe.
[[noreturn]] void run_program(ChildPlan& plan);

/// Becomes the init of a new PID namespace, with the program as its child. When the program ends, the init
/// reports and leaves, upon which the kernel kills all that is left in the namespace. Async-signal-safe.
[[noreturn]] void run_init(ChildPlan& plan);

/// A number in a new user namespace and what it is outside.
struct MappedNumber {
  unsigned inside = 0;
  unsigned outside = 0;
};

/// Writes the maps of a new user namespace; returns errno or 0. Async-signal-safe.
[[nodiscard]] int map_user(MappedNumber user, MappedNumber group);

/// Forks without glibc's handlers, which take locks. Async-signal-safe.
[[nodiscard]] int raw_clone(std::uint64_t flags, int* pidfd);

}  // namespace assay::os
