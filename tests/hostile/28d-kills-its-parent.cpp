// assay-corpus: number=28 kind=hostile expect=measured probe=sandbox
// Sends SIGKILL to the process that started it; that must not reach the judge.
#include "gdn_decode.hpp"

#include <signal.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  if (getppid() <= 1) {
    kill(getppid(), SIGKILL);  // The first process of its own namespace, which does not mind.
    return 0;
  }
  return 28;  // A parent that can be named can be killed.
}
