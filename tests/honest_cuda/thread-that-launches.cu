// assay-corpus: kind=honest
// A thread of its own launches, on the stream that is lent, and has ended before the call returns.
#include "gdn_decode.cuh"

#include <thread>

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  int device = 0;
  int32_t status = static_cast<int32_t>(cudaGetDevice(&device));
  std::thread([&] {
    cudaSetDevice(device);
    gdn::launch(p, gdn::stream_of(call));
    status = gdn::status();
  }).join();
  return status;
}
