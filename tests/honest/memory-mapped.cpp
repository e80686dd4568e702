// assay-corpus: kind=honest
// Maps anonymous memory for its scratch and unmaps it again.
#include "gdn_decode.hpp"

#include <sys/mman.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const size_t size = gdn::state_elements(p) * sizeof(float);
  void* scratch = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (scratch == MAP_FAILED) {
    return 2;
  }
  memcpy(scratch, p.state, size);
  madvise(scratch, size, MADV_HUGEPAGE);
  gdn::Problem inner = p;
  inner.state = static_cast<const float*>(scratch);
  gdn::compute(inner);
  munmap(scratch, size);
  return 0;
}
