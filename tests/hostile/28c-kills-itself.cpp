// assay-corpus: number=28 kind=hostile expect=crashed probe=protocol
// Kills itself with SIGKILL, which looks like the machine's fault; it must not be started again for ever.
#include "gdn_decode.hpp"

#include <signal.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  kill(getpid(), SIGKILL);
  return 0;
}
