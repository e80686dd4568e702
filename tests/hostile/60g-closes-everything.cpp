// assay-corpus: number=60 kind=hostile expect=crashed probe=limits
// Closes all descriptors and runs on.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  for (int fd = 0; fd < 1024; ++fd) {
    close(fd);
  }
  while (true) {
    pause();
  }
}
