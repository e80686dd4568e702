// assay-corpus: number=30 kind=hostile expect=measured probe=sandbox
// Tries to attach to its parent with ptrace; fails with 30 if that works.
#include "gdn_decode.hpp"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  static const bool attached = [] {
    const pid_t parent = getppid();
    if (ptrace(PTRACE_SEIZE, parent, nullptr, nullptr) != 0) {
      return false;
    }
    ptrace(PTRACE_DETACH, parent, nullptr, nullptr);
    return true;
  }();
  gdn::compute(gdn::problem_of(call));
  return attached ? 30 : 0;
}
