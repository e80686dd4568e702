// assay-corpus: kind=honest
// Writes a hundred kilobytes to stderr in each call.
#include "gdn_decode.hpp"

#include <stdio.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  for (int i = 0; i < 1000; ++i) {
    fprintf(stderr,
            "%04d: everything is as it should be, said the kernel, and said it again at some length, to be sure\n", i);
  }
  return 0;
}
