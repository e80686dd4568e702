// assay-corpus: number=86 kind=hostile expect=incorrect probe=output_check
// Computes the state; the output, which is small, is zero.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::launch(p, gdn::stream_of(call));
  cudaMemsetAsync(p.output, 0, gdn::output_bytes(p), gdn::stream_of(call));
  return gdn::status();
}
