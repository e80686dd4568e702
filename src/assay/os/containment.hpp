#pragma once

#include <signal.h>

#include <cstdint>

namespace assay::os {

/// Blocks every signal of the calling thread while it lives: no handler of ours may run in a child, which
/// still has our memory.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t old_{};
};

/// Clones this process with more flags (CLONE_NEW…); returns as fork does, and a pidfd to the parent.
[[nodiscard]] int clone_child(std::uint64_t flags, int* pidfd);

/// Reaps our child, waiting for its end.
siginfo_t wait_for_end(int pid);

/// Makes the kernel keep how children ended, which it does not where SIGCHLD is ignored; a program inherits
/// that.
void keep_exit_statuses();

/// Returns the clone flags that give a PID namespace here, or 0. With CLONE_NEWNS among them the init mounts a /proc for it. Root in a container may lack the capability
/// and still be allowed a user namespace. Remembered for each effective user: a program may give up root.
[[nodiscard]] std::uint64_t namespace_flags();

}  // namespace assay::os
