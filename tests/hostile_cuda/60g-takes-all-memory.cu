// assay-corpus: number=60 kind=hostile expect=measured|crashed probe=limits
// Takes all memory of the device at the first call and keeps it: the judge must have what it needs already, and the next
// evaluation must not feel it.
#include "gdn_decode.cuh"

namespace {
bool take_all() {
  size_t piece = size_t{64} << 30;
  void* taken = nullptr;
  while (piece >= size_t{1} << 20) {
    if (cudaMalloc(&taken, piece) != cudaSuccess) {
      piece /= 2;
    }
  }
  cudaGetLastError();
  return true;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool took = take_all();
  gdn::launch(gdn::problem_of(call), gdn::stream_of(call));
  return took ? gdn::status() : 1;
}
