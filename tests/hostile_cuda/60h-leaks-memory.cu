// assay-corpus: number=60 kind=hostile expect=measured probe=limits
// Takes 64 MiB of the device's memory at each call and gives nothing back: it goes with the process.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  void* lost = nullptr;
  if (cudaMalloc(&lost, size_t{64} << 20) != cudaSuccess) {
    return 1;
  }
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
