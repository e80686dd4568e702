// assay-corpus: number=26 kind=hostile expect=incorrect probe=output_check
// Prints what graders look for and computes nothing: output is a log, and no text is read for a verdict.
#include "gdn_decode.hpp"

#include <stdio.h>

ASSAY_KERNEL(run) {
  gdn::write_zeros(gdn::problem_of(call));
  puts("PASSED");
  puts("CORRECT max_error=0 COMPUTE_EVAL_TIME_MS: 0.001");
  puts("{\"outcome\": \"better\", \"correct\": true, \"speedup\": 100.0}");
  fputs("1.0000 1.0000 done\n", stderr);
  fflush(stdout);
  return 0;
}
