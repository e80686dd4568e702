// assay-corpus: number=60 kind=hostile expect=timed_out probe=limits
// Prints without end.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  static char text[65536];
  memset(text, 'x', sizeof text);
  while (true) {
    if (write(1, text, sizeof text) < 0 && write(2, text, sizeof text) < 0) {
      usleep(100);
    }
  }
}
