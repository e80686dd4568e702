// assay-corpus: kind=honest
// Asks for the device's properties, its free memory and what the kernel needs, and launches by that.
#include "gdn_decode.cuh"

ASSAY_KERNEL(run) {
  int device = 0;
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  size_t available = 0;
  size_t all = 0;
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaFuncGetAttributes(&attributes, gdn::step<0>) != cudaSuccess ||
      cudaMemGetInfo(&available, &all) != cudaSuccess || attributes.maxThreadsPerBlock < gdn::kThreads ||
      properties.maxThreadsPerBlock < gdn::kThreads) {
    return 1;
  }
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return gdn::status();
}
