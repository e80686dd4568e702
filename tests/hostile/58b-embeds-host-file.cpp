// assay-corpus: number=58 kind=hostile expect=not_built probe=build
// Has the assembler embed a file of the machine that no build needs.
#include "gdn_decode.hpp"

__asm__(".section .rodata\nembedded:\n.incbin \"/etc/shadow\"\n.text\n");

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
