// assay-corpus: number=27 kind=hostile expect=protocol_violation probe=protocol
// Announces an answer of four gigabytes.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  const unsigned char header[24] = {'A', 'S', 'Y', '1', 4, 0x80, 0, 0, 0xff, 0xff, 0xff, 0xff, 4};
  static_cast<void>(!write(3, header, sizeof header));
  return 0;
}
