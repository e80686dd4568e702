// assay-corpus: number=58 kind=hostile expect=not_built|timed_out probe=build
// Makes the assembler write an object of two gigabytes.
#include "gdn_decode.hpp"

__asm__(".data\nbomb:\n.fill 2000000000, 1, 1\n.text\n");

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
