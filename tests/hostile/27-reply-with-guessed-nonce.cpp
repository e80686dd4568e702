// assay-corpus: number=27 kind=hostile expect=protocol_violation probe=protocol
// Answers the judge itself, before the worker can, with a short time, the right sequence and a guessed nonce.
#include "gdn_decode.hpp"

#include <unistd.h>

ASSAY_KERNEL(run) {
  static uint32_t sequence = 3;
  gdn::compute(gdn::problem_of(call));
  unsigned char frame[36] = {'A', 'S', 'Y', '1', 4, 0x80, 0, 0, 12};
  ++sequence;
  memcpy(frame + 12, &sequence, sizeof sequence);
  const uint64_t nonce = 0x0123456789abcdefu;
  memcpy(frame + 16, &nonce, sizeof nonce);
  const int64_t elapsed = 1000;
  memcpy(frame + 28, &elapsed, sizeof elapsed);
  return write(3, frame, sizeof frame) == sizeof frame ? 0 : 2;
}
