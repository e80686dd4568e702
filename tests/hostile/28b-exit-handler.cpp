// assay-corpus: number=28 kind=hostile expect=crashed probe=protocol
// Leaves by exit() with a handler that prints a verdict.
#include "gdn_decode.hpp"

#include <stdio.h>
#include <stdlib.h>

ASSAY_KERNEL(run) {
  gdn::write_zeros(gdn::problem_of(call));
  atexit([] { puts("all tests passed"); });
  exit(0);
}
