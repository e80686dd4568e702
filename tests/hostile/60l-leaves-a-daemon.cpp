// assay-corpus: number=60 kind=hostile expect=measured|suspect|crashed probe=limits
// Leaves a process of its own session behind that would sleep for an hour; it must end with its worker.
#include "gdn_decode.hpp"

#include <sys/wait.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  static const bool left = [] {
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      if (fork() == 0) {
        close(3);
        sleep(3600);
      }
      _exit(0);
    }
    return child > 0 && waitpid(child, nullptr, 0) == child;
  }();
  static_cast<void>(left);
  gdn::compute(gdn::problem_of(call));
  return 0;
}
