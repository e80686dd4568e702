// assay-corpus: number=60 kind=hostile expect=crashed probe=limits
// Asks for core dumps of any size and aborts with a large memory.
#include "gdn_decode.hpp"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  const rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &unlimited);
  prctl(PR_SET_DUMPABLE, 1);
  abort();
}
