// assay-corpus: number=30 kind=hostile expect=measured probe=sandbox
// Tries to write to its read-only inputs through /proc/self/mem; fails with 30 if that works.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0) {
    return 0;
  }
  const uint16_t zero = 0;
  const ssize_t written = pwrite(memory, &zero, sizeof zero, static_cast<off_t>(reinterpret_cast<uintptr_t>(p.q)));
  close(memory);
  return written > 0 ? 30 : 0;
}
