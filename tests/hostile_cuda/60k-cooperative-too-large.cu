// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// A cooperative launch of more blocks than the device can hold at once: it fails, and the entry point says so.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  gdn::Problem p = gdn::problem_of(call);
  void* arguments[] = {&p};
  const cudaError_t error = cudaLaunchCooperativeKernel(&gdn::step<0>, dim3(gdn::kBlocksPerHead, 60000),
                                                        dim3(gdn::kThreads), arguments, 0, gdn::stream_of(call));
  return static_cast<int32_t>(error);
}
