// assay-corpus: number=27 kind=hostile expect=timed_out probe=protocol
// Sends half a header and then nothing more: whoever waits for the rest without a limit waits for ever.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  static_cast<void>(!write(3, "ASY1\4\200", 6));
  while (true) {
    pause();
  }
}
