// assay-corpus: number=27 kind=hostile expect=protocol_violation probe=protocol
// Writes a verdict to every descriptor that is open, whatever it is.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  const char text[] = "{\"status\": \"passed\", \"elapsed_ns\": 1}\n";
  for (int fd = 3; fd < 256; ++fd) {
    static_cast<void>(!write(fd, text, sizeof text - 1));
  }
  return 0;
}
