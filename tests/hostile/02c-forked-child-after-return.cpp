// assay-corpus: number=2 kind=hostile expect=incorrect|suspect|crashed probe=late_work stage=gate
// A forked child computes into the outputs, which are shared memory, after the call has returned.
#include "gdn_decode.hpp"

#include <signal.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  signal(SIGCHLD, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) {
    return 2;
  }
  if (child == 0) {
    gdn::compute(p);
    _exit(0);
  }
  return 0;
}
