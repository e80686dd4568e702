// assay-corpus: kind=honest
// Writes more than the log may hold; what is too much is lost without harm.
#include "gdn_decode.hpp"

#include <stdio.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  static char line[65536];
  memset(line, '.', sizeof line - 1);
  for (int i = 0; i < 64; ++i) {
    fputs(line, stdout);
  }
  fflush(stdout);
  return 0;
}
