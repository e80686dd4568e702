// assay-corpus: number=31 kind=hostile expect=measured probe=none
// Asks for write access to its inputs with mprotect; fails with 31 if it is given.
#include "gdn_decode.hpp"

#include <sys/mman.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(p.q) & ~uintptr_t{4095});
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) {
    return 0;
  }
  const_cast<uint16_t*>(p.q)[0] = 0;
  return 31;
}
