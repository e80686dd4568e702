// assay-corpus: number=21 kind=hostile expect=incorrect probe=output_check
// Copies from fresh memory that nobody wrote to, where a reference in the same process would have left its result.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  const cudaStream_t stream = gdn::stream_of(call);
  gdn::Outputs leftover;
  if (cudaMallocAsync(&leftover.output, gdn::output_bytes(p), stream) != cudaSuccess ||
      cudaMallocAsync(&leftover.new_state, gdn::state_bytes(p), stream) != cudaSuccess) {
    return 1;
  }
  gdn::replay(p, leftover, stream);
  cudaFreeAsync(leftover.output, stream);
  cudaFreeAsync(leftover.new_state, stream);
  return gdn::status();
}
