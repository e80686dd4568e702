// assay-corpus: number=59 kind=hostile expect=timed_out probe=load
// Its constructor never returns.
#include "gdn_decode.hpp"

#include <unistd.h>

__attribute__((constructor)) static void wait_for_ever() {
  while (true) {
    pause();
  }
}

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
