// assay-corpus: number=60 kind=hostile expect=measured probe=limits
// Opens files until it gets no more and keeps them; the judge must not need any of its own for that.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  for (int i = 0; i < 100000 && open("/proc/self/stat", O_RDONLY) >= 0; ++i) {
  }
  return 0;
}
