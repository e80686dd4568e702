// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// Reads from address 16.
#include "gdn_decode.cuh"

namespace {
__global__ void stray(gdn::Problem p, uintptr_t address) {
  p.new_state[0] = *reinterpret_cast<const volatile float*>(address);
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  stray<<<1, 1, 0, gdn::stream_of(call)>>>(p, 16);
  return gdn::status();
}
