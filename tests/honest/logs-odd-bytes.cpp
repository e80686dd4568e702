// assay-corpus: kind=honest
// Prints terminal commands, null bytes and words that sound like verdicts, as a debugging print of raw memory does.
#include "gdn_decode.hpp"

#include <stdio.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  fwrite(p.new_state, 1, 256, stdout);
  fputs("\033[2J\033[31mFAILED\r\ncrashed\n", stdout);
  fflush(stdout);
  return 0;
}
