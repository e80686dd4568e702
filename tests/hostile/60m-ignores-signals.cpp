// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits
// Ignores all signals that can be ignored and waits.
#include "gdn_decode.hpp"

#include <signal.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  for (int number = 1; number < 65; ++number) {
    signal(number, SIG_IGN);
  }
  while (true) {
    pause();
  }
}
