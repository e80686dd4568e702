// assay-corpus: number=60 kind=hostile expect=crashed|timed_out probe=limits
// Allocates and touches memory until there is none; ends when it gets no more.
#include "gdn_decode.hpp"

#include <stdlib.h>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  constexpr size_t kStep = size_t{64} << 20;
  while (char* piece = static_cast<char*>(malloc(kStep))) {
    memset(piece, 1, kStep);
  }
  return 60;
}
