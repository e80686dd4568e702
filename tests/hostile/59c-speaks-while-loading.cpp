// assay-corpus: number=59 kind=hostile expect=protocol_violation probe=load
// Its constructor claims that loading, and everything after it, went well.
#include "gdn_decode.hpp"

#include <unistd.h>

__attribute__((constructor)) static void speak() {
  const unsigned char frame[28] = {'A', 'S', 'Y', '1', 2, 0x80, 0, 0, 4, 0, 0, 0, 4};
  static_cast<void>(!write(3, frame, sizeof frame));
}

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return 0;
}
