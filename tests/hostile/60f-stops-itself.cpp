// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits
// Sends SIGSTOP to itself: it neither answers nor ends.
#include "gdn_decode.hpp"

#include <signal.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  kill(getpid(), SIGSTOP);
  return 0;
}
